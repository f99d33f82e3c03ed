/** The parts of a node that receive uploads: a real folder, a real log, and real HTTP in front of `Reception`. */
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { ConfigProvider, Context, Effect, Layer, References, type Scope } from "effect"
import { allProjections } from "#projections/AllProjections.ts"
import { Files } from "#projections/files/Files.ts"
import { Projections } from "#projections/Projections.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { FileActors } from "#src/features/media/storage/FileActors.ts"
import * as LocalReception from "#src/features/media/storage/local/LocalReception.ts"
import * as LocalUploadStore from "#src/features/media/storage/local/LocalUploadStore.ts"
import { Reception } from "#src/features/media/storage/Reception.ts"
import { StorageQuota } from "#src/features/media/storage/StorageQuota.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import type { EventStore } from "#streams/EventStore.ts"
import * as FileBlobStore from "#streams/FileBlobStore.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

/** Does not resolve: tests replace it by the address of the server. */
const mediaUrl = "http://media.test"

const urls = PublicUrls.layerOf({ queueUrl: mediaUrl, baseUrl: mediaUrl, mediaUrl, mcpUrl: mediaUrl })

export interface NodeOptions {
  /** The directory of the blobs and of the read models. */
  readonly directory: string
  /** Whether other nodes use the same blobs. */
  readonly isShared?: boolean
  /** `STORAGE_QUOTA` */
  readonly quota?: string
}

let nodes = 0

/** One node on a log. */
export const onLog = ({ directory, isShared = false, quota }: NodeOptions) =>
  Layer.merge(LocalReception.layer, LocalUploadStore.layer).pipe(
    Layer.provideMerge(StorageQuota.layer),
    Layer.provideMerge(Layer.mergeAll(AccountActors.layer, FileActors.layer)),
    Layer.provideMerge(Files.layer.pipe(Layer.provide(ReadModels.layer))),
    Layer.provideMerge(
      Projections.layerInProcess({
        filename: `${directory}/projections-${++nodes}.sqlite`,
        projections: allProjections
      })
    ),
    Layer.provideMerge(FileBlobStore.layer({ root: `${directory}/blobs`, isShared })),
    Layer.provideMerge(
      Layer.mergeAll(urls, SteadyTime.layer, MasterKey.layerOf(Buffer.alloc(32, 7)), IdGenerator.layer)
    ),
    Layer.provide(
      ConfigProvider.layer(ConfigProvider.fromUnknown(quota === undefined ? {} : { STORAGE_QUOTA: quota }))
    ),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "None"))
  )

/** The directory of the test's node. */
export class Directory extends Context.Service<Directory, string>()("inferlog/test/files/local/Directory") {}

export const layer = (options: Pick<NodeOptions, "quota"> = {}) =>
  TempDirectory.provide((directory) =>
    Layer.provideMerge(
      onLog({ directory, ...options }),
      Layer.merge(MemoryEventStore.layer, Layer.succeed(Directory, directory))
    )
  )

export type Node = Layer.Success<ReturnType<typeof onLog>> | EventStore

const putOf = (request: http.IncomingMessage) => {
  const url = new URL(request.url ?? "/", mediaUrl)
  const length = request.headers["content-length"]
  const md5 = request.headers["content-md5"]
  return {
    id: url.pathname.split("/")[2] ?? "",
    query: Object.fromEntries(url.searchParams),
    contentType: request.headers["content-type"],
    contentLength: length === undefined ? undefined : Number(length),
    contentMd5: typeof md5 === "string" ? md5 : undefined,
    body: request
  }
}

/** Listens on a free port of the loopback interface and returns it. */
export const serve: Effect.Effect<number, never, Reception | Scope.Scope> = Effect.gen(function* () {
  const reception = yield* Reception
  const runFork = Effect.runForkWith(yield* Effect.context<Reception>())
  const server = http.createServer((request, response) => {
    const answer = reception.receive(putOf(request)).pipe(
      Effect.match({
        onSuccess: (etag) => {
          response.writeHead(200, { etag: `"${etag}"` }).end()
        },
        onFailure: (error) => {
          const told = { error: error._tag, ...("reason" in error && { reason: error.reason }) }
          response.writeHead(400, { connection: "close" }).end(JSON.stringify(told))
        }
      })
    )
    const fiber = runFork(answer)
    response.on("close", () => fiber.interruptUnsafe())
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  return (server.address() as AddressInfo).port
})
