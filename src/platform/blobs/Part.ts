/** One part of a multipart upload. */
export interface Part {
  /** From 1. */
  readonly partNumber: number
  /** Without quotes. */
  readonly etag: string
}

export interface UploadedPart extends Part {
  /** Bytes. */
  readonly size: number
}
