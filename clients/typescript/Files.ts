import * as Download from "./files/Download.ts"
import * as Source from "./files/Source.ts"
import * as Upload from "./files/Upload.ts"
import { segment } from "./Addresses.ts"
import type { Http } from "./Http.ts"
import { type Paged, paged } from "./Iterating.ts"
import type { CallOptions } from "./Scope.ts"
import type * as Wire from "./Wire.ts"

/** The account's files (docs/apps/uploads.md). */
export class Files {
  readonly #http: Http

  constructor(http: Http) {
    this.#http = http
  }

  /**
   * Uploads a file, and returns its URL, which models take as input. It is read part by part, so that it may be larger than the memory.
   */
  upload(data: Source.Uploadable, options: Upload.UploadOptions = {}): Promise<string> {
    return this.#http.call(options, async (scope) =>
      Upload.run(this.#http, Source.make(data), options, scope)
    )
  }

  /** Begins an upload that somebody else sends, such as a page: one PUT to `upload_url` within an hour. */
  initiate(file: Wire.UploadBody, options?: CallOptions): Promise<Wire.Upload> {
    return this.#http.ask({ method: "POST", path: "/storage/upload/initiate", json: file }, options)
  }

  /**
   * Opens the file at a URL. No key is sent to it. The body goes on after a cut, and `signal` and `timeout` hold until it has been
   * read.
   */
  download(url: string, options: Download.DownloadOptions = {}): Promise<Response> {
    return Download.open(this.#http, url, options)
  }

  /** Newest first. */
  list(filter: Wire.ListFilesQuery = {}, options?: CallOptions): Paged<Wire.Files> {
    return paged(this.#http, "/files", { ...filter }, options)
  }

  get(id: string, options?: CallOptions): Promise<Wire.StoredFile> {
    return this.#http.ask({ path: `/files/${segment(id)}` }, options)
  }

  /** Its URL answers 410 from then on. Also ends an upload in parts, by its `uploadKey`. */
  delete(id: string, options?: CallOptions): Promise<void> {
    return this.#http.ask({ method: "DELETE", path: `/files/${segment(id)}` }, options)
  }

  /** The bytes that the files take, and the quota. */
  storage(options?: CallOptions): Promise<Wire.Storage> {
    return this.#http.ask({ path: "/files/storage" }, options)
  }
}
