/** Fetches the file behind a URL in a model's output. */
import type { FileId } from "#domain/Ids.ts"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Context, Duration, Effect, FileSystem, Layer, Option, Schedule, type Scope, Stream } from "effect"
import { Outbound } from "#src/kernel/outbound/Outbound.ts"
import type { OutboundError, OutboundRefused } from "#src/kernel/outbound/OutboundError.ts"
import { ScratchDirectory } from "#src/kernel/disk/ScratchDirectory.ts"
import * as DataUri from "./DataUri.ts"
import { sniffLength } from "./ImageFormat.ts"
import type { Media } from "./Media.ts"
import { MediaStore } from "./MediaStore.ts"
import { RemoteRefused, RemoteUnavailable } from "./RemoteFailure.ts"
import * as SniffMedia from "./SniffMedia.ts"

/** A file to be stored. */
export interface LocalFile extends SniffMedia.FileType {
  readonly _tag: "LocalFile"
  /** In the scratch directory, until the scope closes. */
  readonly path: string
  readonly size: number
}

/** A file of this service, of any owner (`requestId`), which is not copied. */
interface StoredFile {
  readonly _tag: "StoredFile"
  readonly media: Media
}

export type RemoteFile = LocalFile | StoredFile

const maxBytes = 1024 * 1024 * 1024

/** From the name look-up to the last byte. */
const downloadTimeout = Duration.minutes(10)

const refuse = (reason: RemoteRefused["reason"], status?: number) =>
  Effect.fail(new RemoteRefused({ reason, ...(status !== undefined && { status }) }))

const outage = (reason: RemoteUnavailable["reason"], status?: number) =>
  Effect.fail(new RemoteUnavailable({ reason, ...(status !== undefined && { status }) }))

const refusals: Readonly<Record<OutboundRefused["reason"], RemoteRefused["reason"]>> = {
  too_long: "url_too_long",
  malformed: "malformed_url",
  not_https: "not_https",
  credentials: "credentials",
  forbidden_port: "forbidden_address",
  forbidden_host: "forbidden_address",
  private_address: "forbidden_address"
}

/** Statuses below 500 after which a retry may succeed (RFC 9110, 15.5.9; RFC 8470; RFC 6585). */
const laterStatuses: ReadonlySet<number> = new Set([408, 425, 429])

/** How a file that is not there is asked for again: a content delivery network may have it moments after its URL exists. */
const soon = { schedule: Schedule.exponential("500 millis"), times: 2 }

const isNotThere = (error: unknown): boolean => error instanceof RemoteRefused && error.status === 404

const judgeStatus = (status: number) =>
  status >= 500 || laterStatuses.has(status) ? outage("unreachable", status) : refuse("refused", status)

const judgeDownload = ({
  reason
}: OutboundError): Effect.Effect<never, RemoteRefused | RemoteUnavailable> => {
  switch (reason) {
    case "redirect_refused":
      return refuse("too_many_redirects")
    case "tls_error":
      return refuse("bad_certificate")
    case "timeout":
    case "connection_failed":
    case "dns_error":
      return outage("unreachable")
    default:
      return judgeStatus(Number(reason.slice("http_".length)))
  }
}

export class RemoteMedia extends Context.Service<
  RemoteMedia,
  {
    /**
     * The file behind an https URL (through the outbound guard, at most 1 GiB, 10 min and five redirects), in a `data:`
     * URI, or behind a media URL of ours (from the store, never over the network). A permanent fault is
     * `RemoteRefused`, any other `RemoteUnavailable`. A host that answers 404 is asked twice more, after 0.5 s and 1 s.
     */
    fetch(url: string): Effect.Effect<RemoteFile, RemoteRefused | RemoteUnavailable, Scope.Scope>
  }
>()("inferlog/src/features/media/RemoteMedia") {
  static readonly layerNoDeps = Layer.effect(
    RemoteMedia,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const outbound = yield* Outbound
      const store = yield* MediaStore
      const scratch = yield* ScratchDirectory

      const newPath = Effect.map(
        fs.makeTempDirectoryScoped({ directory: scratch, prefix: "media-" }),
        (folder) => `${folder}/file`
      )

      const stored = Effect.fnUntraced(function* (id: FileId) {
        const media = yield* store.find(id)
        if (media === null) return yield* refuse("not_found")
        return { _tag: "StoredFile", media } satisfies StoredFile
      })

      const unpack = Effect.fnUntraced(function* (uri: string) {
        const decoded = DataUri.decode(uri)
        if (decoded === null) return yield* refuse("malformed_data_uri")
        const { bytes, contentType } = decoded
        if (bytes.length > maxBytes) return yield* refuse("too_large")
        const path = yield* newPath
        yield* Effect.uninterruptible(fs.writeFile(path, bytes))
        const type = SniffMedia.fileType(bytes.subarray(0, sniffLength), contentType)
        return { _tag: "LocalFile", path, size: bytes.length, ...type } satisfies LocalFile
      })

      const download = Effect.fnUntraced(function* (url: string) {
        const path = yield* newPath
        const { contentType, size } = yield* outbound
          .download({ url, maxBytes, timeout: downloadTimeout, toFile: path })
          .pipe(
            Effect.catchTags({
              OutboundRefused: ({ reason }) => refuse(refusals[reason]),
              OutboundTooLarge: () => refuse("too_large"),
              OutboundError: judgeDownload
            })
          )
        const head = yield* Stream.mkUint8Array(fs.stream(path, { bytesToRead: sniffLength }))
        const type = SniffMedia.fileType(head, Option.getOrNull(contentType))
        return { _tag: "LocalFile", path, size, ...type } satisfies LocalFile
      })

      const fetch: RemoteMedia["Service"]["fetch"] = Effect.fn("RemoteMedia.fetch")(
        function* (text) {
          const url = text.trim()
          if (DataUri.isDataUri(url)) return yield* unpack(url)
          const own = store.parseOwnUrl(url)
          if (Option.isSome(own)) return yield* stored(own.value)
          if (!/^https?:/i.test(url)) return yield* refuse("unsupported_source")
          return yield* Effect.retry(download(url), { ...soon, while: isNotThere })
        },
        Effect.catchTags({
          MediaGone: () => refuse("not_found"),
          PlatformError: () => outage("storage"),
          BlobStoreError: () => outage("storage"),
          EventStoreError: () => outage("storage")
        })
      )

      return RemoteMedia.of({ fetch })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(NodeFileSystem.layer))
}
