"""The host's side of the container: policy, engines, exchange of frames, attestation, image trust."""
