/** Our server as a file server: the two upload flows of the contract ("Uploads"). */
import { Array, Effect, Schema } from "effect"
import type * as TransferClient from "../../harness/TransferClient.ts"
import { BenchFailed } from "../../harness/Subject.ts"
import * as Inferlog from "../Inferlog.ts"
import * as FileServer from "./FileServer.ts"

const { contentType } = FileServer

const Initiated = Schema.Struct({ upload_url: Schema.String, file_url: Schema.String })
const InitiatedInParts = Schema.Struct({ uploadId: Schema.String, uploadKey: Schema.String })
const PartUrl = Schema.Struct({ presignedUrl: Schema.String })
const Completed = Schema.Struct({ fileUrl: Schema.String })

const post = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { ...Inferlog.authorization, "content-type": "application/json" },
  body: JSON.stringify(body)
})

const announced = (size: number) => post({ file_name: "bench.bin", content_type: contentType, size })

const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url)
  return pathname + search
}

/** The URL contains the file's id: `{MEDIA_URL}/media/{id}/{fileName}`. */
const storedFile = ({ url }: Inferlog.Inferlog, fileUrl: string): FileServer.StoredFile => {
  const path = pathOf(fileUrl)
  const [, , id = ""] = path.split("/")
  return {
    path,
    remove: Effect.asVoid(
      FileServer.ask(`${url}/files/${id}`, 204, { method: "DELETE", headers: Inferlog.authorization })
    )
  }
}

/** Uploads in one PUT. */
const inOne = (server: Inferlog.Inferlog) =>
  Effect.fnUntraced(function* (client: TransferClient.TransferClient, bytes: number) {
    const initiate = `${server.url}/storage/upload/initiate`
    const { file_url, upload_url } = yield* FileServer.askJson(initiate, Initiated, announced(bytes))
    const paths = [pathOf(upload_url)] as const
    yield* client.put({ port: server.port, paths, bytes, atOnce: 1, contentType, status: 200 })
    return storedFile(server, file_url)
  })

export interface Parts {
  /** Size of each part, bytes. */
  readonly bytes: number
  readonly atOnce: number
}

/** Uploads in parts of equal size. */
const inParts = (server: Inferlog.Inferlog, parts: Parts) =>
  Effect.fnUntraced(function* (client: TransferClient.TransferClient, bytes: number) {
    const upload = `${server.url}/storage/upload`
    const { uploadId, uploadKey } = yield* FileServer.askJson(
      `${upload}/initiate-multipart`,
      InitiatedInParts,
      announced(bytes)
    )
    const partPath = (partNumber: number) => {
      const query = new URLSearchParams({ uploadKey, uploadId, partNumber: String(partNumber) })
      return Effect.map(
        FileServer.askJson(`${upload}/multipart-url?${query}`, PartUrl, { headers: Inferlog.authorization }),
        ({ presignedUrl }) => pathOf(presignedUrl)
      )
    }
    const paths = yield* Effect.forEach(Array.range(1, bytes / parts.bytes), partPath, {
      concurrency: parts.atOnce
    })
    const etags = yield* client.put({ ...parts, port: server.port, paths, contentType, status: 200 })
    if (etags.includes(null)) return yield* new BenchFailed({ reason: "a part was accepted without an ETag" })
    const { fileUrl } = yield* FileServer.askJson(
      `${upload}/complete`,
      Completed,
      post({ uploadId, uploadKey, parts: etags.map((etag, index) => ({ partNumber: index + 1, etag })) })
    )
    return storedFile(server, fileUrl)
  })

/** @param parts if absent, files are uploaded in one PUT. */
export const serve = (parts?: Parts) =>
  Effect.map(Inferlog.serve(), (server): FileServer.FileServer => ({
    port: server.port,
    pids: server.pids,
    upload: parts === undefined ? inOne(server) : inParts(server, parts)
  }))
