"""What the core tools answer. Names are those of the first seed; see `tools.models` for what every answer has."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from fumehood.tools.models import Answer, Paged


class MethodTried(BaseModel):
    name: str
    ok: bool
    reason: str | None = None


class TextFacts(BaseModel):
    original_file: str
    format: str
    extraction_method: str
    extraction_time: float = Field(description="Seconds this answer took.")
    methods_tried: list[str]
    methods: list[MethodTried] = Field(default_factory=list, description="Each method with why it failed.")


class DocumentFacts(BaseModel):
    category: str
    extension: str
    has_core_properties: bool
    has_app_properties: bool


class StructureItem(BaseModel):
    type: str
    text: str
    level: int | None = None
    style: str | None = None
    part: str = "body"
    para_index: int | None = None
    page: int | None = None


class ExtractedText(Paged):
    text: str
    boundary: str | None = Field(default=None, description="The random mark of the lines that fence `text` in this answer.")
    metadata: TextFacts
    document_metadata: DocumentFacts | None = None
    structure: list[StructureItem] | None = None


class MetadataInfo(BaseModel):
    extraction_time: float
    format_detected: str


class AttachedFile(BaseModel):
    """A file inside the document."""

    name: str
    mime: str
    size_bytes: int | None = None
    is_read: bool = Field(description="Whether its own text is part of this document's: `extract_text` shows it at the end.")


class ExtractedMetadata(Answer):
    """Common facts first; those of one category are present for documents of that category."""

    model_config = ConfigDict(extra="allow")

    category: str
    extension: str
    type: str
    has_core_properties: bool
    has_app_properties: bool
    title: str | None = None
    subject: str | None = None
    keywords: str | None = None
    author: str | None = None
    created: str | None = None
    modified: str | None = None
    extraction_info: MetadataInfo
    properties: dict[str, Any] = Field(default_factory=dict, description="Every property that the document carries.")
    custom_properties: dict[str, Any] = Field(default_factory=dict)
    counts: dict[str, int] = Field(default_factory=dict, description="Measured from the source.")
    attachments: list[AttachedFile] = Field(default_factory=list, description="Files inside the document; at most 100 of them.")


class VersionInfo(BaseModel):
    application: str | None
    version: str | None
    format_version: str
    compatibility: list[str]
    features: list[str]


class StructureFacts(BaseModel):
    container_type: str
    components: int | None = None
    metadata_available: bool
    embedded_objects: bool
    has_images: bool
    has_tables: bool
    estimated_complexity: str


class DetectedFormat(Answer):
    file_path: str
    filename: str
    extension: str
    format_name: str
    category: str
    mime_type: str
    file_size: int
    created: str | None
    modified: str | None
    is_supported: bool
    is_legacy: bool
    is_modern: bool
    supports_macros: bool
    is_template: bool
    is_encrypted: bool
    version_info: VersionInfo
    structure: StructureFacts
    processing_hints: list[str]
    primary_type: str
    document_class: str
    content_type: str
    estimated_purpose: str
    complexity_score: int
    processing_priority: str
    family: str = Field(description="What the content is, whatever the name says.")
    extension_mismatch: bool = False
    has_macros: bool = False


class CorruptionCheck(BaseModel):
    is_corrupt: bool
    checked_by: str = "read completely in a sandbox"


class Validation(BaseModel):
    is_valid: bool
    errors: list[str]
    warnings: list[str]
    corruption_check: CorruptionCheck
    password_protected: bool
    file_path: str
    file_size: int


class DocumentHealth(Answer):
    overall_health: str = Field(description="healthy, unhealthy, or error when that could not be found out.")
    validation: Validation
    format_info: dict[str, Any]
    analysis_time: float
    recommendations: list[str]
    active_content: list[dict[str, str]] = Field(
        default_factory=list, description="Macros, scripts, links that act on opening."
    )
    hidden_content: dict[str, int] = Field(default_factory=dict, description="What a reader does not see: reason and count.")


class FormatDetails(BaseModel):
    category: str
    legacy_format: bool
    text_extraction: bool
    image_extraction: bool
    metadata_extraction: bool
    markdown_conversion: bool


class SupportedFormats(Answer):
    supported_extensions: list[str]
    format_details: dict[str, FormatDetails]
    categories: dict[str, list[str]]
    total_formats: int
    sandbox: dict[str, Any] = Field(
        default_factory=dict, description="Whether documents can be read right now, and if not, why."
    )


class Pagination(BaseModel):
    page: int
    total_sections: int
    estimated_total_tokens: int
    page_tokens: int
    has_more: bool
    cursor_id: str | None
    progress: str


class ImageReference(BaseModel):
    filename: str
    file_path: str | None = None
    content_type: str
    size_bytes: int | None = None
    mode: str = "references"
    markdown_ref: str
    note: str | None = None


class TocSection(BaseModel):
    level: int
    title: str
    start_page: int | None = None
    estimated_end_page: int | None = None
    suggested_page_range: str | None = None
    section_type: str


class Chunk(BaseModel):
    chunk_number: int
    page_range: str
    sections_included: list[str]
    estimated_pages: int
    description: str


class TableOfContents(BaseModel):
    sections: list[TocSection] = Field(default_factory=list)
    total_sections: int = 0
    suggested_chunking: list[Chunk] = Field(default_factory=list)
    note: str | None = None
    basic_info: dict[str, Any] | None = None
    bookmarks: list[str] | None = None
    bookmark_count: int | None = None
    available_headings: list[str] | None = None
    heading_count: int | None = None


class DocumentAnalysis(BaseModel):
    estimated_pages: int
    file_size_mb: float
    complexity: str
    estimated_content_size: str


class Recommendation(BaseModel):
    status: str
    message: str
    suggested_workflow: list[str]
    warnings: list[str]


class MarkdownFacts(BaseModel):
    original_file: str
    format: str
    conversion_method: str
    conversion_time: float
    summary_only: bool
    document_analysis: DocumentAnalysis
    processing_recommendation: Recommendation
    session_id: str | None = None
    estimated_tokens: int
    content_truncated: bool
    sections_included: list[str] = Field(default_factory=list)
    images_found: int = 0
    structure_preserved: bool = True
    page_range: str | None = None
    pages_processed: list[int] | None = None
    character_count: int | None = None
    word_count: int | None = None


class Markdown(Paged):
    markdown: str | None = Field(default=None, description="This page, at most 40,000 characters. Null with summary_only.")
    summary: str | None = None
    boundary: str | None = Field(default=None, description="The random mark of the lines that fence the text in this answer.")
    metadata: MarkdownFacts
    content_truncated: bool = Field(description="The document goes on at next_cursor.")
    cursor_id: str | None = Field(default=None, description="The same as next_cursor.")
    pagination: Pagination
    images: list[ImageReference] = Field(default_factory=list)
    structure: dict[str, int] = Field(default_factory=dict, description="How many blocks of each type.")
    table_of_contents: TableOfContents | None = Field(default=None, description="With the first page.")
    notes: list[str] = Field(default_factory=list, description="Parameters that were taken otherwise than asked.")
