/** Reads a message of the tool server in bounded memory. The bytes for `upload_file` go to a file as they arrive. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Context, Effect, FileSystem, Layer, Result, Scope } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { Json } from "#domain/CanonicalJson.ts"
import type { AccountId } from "#domain/Ids.ts"
import * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import { storageFull } from "#src/edges/http/FileErrorAnswers.ts"
import * as JsonBytes from "#src/kernel/text/JsonBytes.ts"
import * as KeyedPermits from "#src/kernel/limits/KeyedPermits.ts"
import { ScratchDirectory } from "#src/kernel/disk/ScratchDirectory.ts"
import * as JsonRpc from "../JsonRpc.ts"
import * as LongMessage from "./LongMessage.ts"
import * as Limits from "./MessageLimits.ts"
import * as MessageErrorAnswers from "./MessageErrorAnswers.ts"

/** The body has at most 10 MiB. `spooled` is empty for all but uploads of long `data`. */
export interface Message extends LongMessage.LongMessage {
  /** The parsed body, or why it is not JSON or not text. */
  readonly json: Result.Result<Json, JsonBytes.JsonError>
}

const make = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const scratch = yield* ScratchDirectory
  const permits = KeyedPermits.make(Limits.permits)

  const place = Effect.fnUntraced(function* (accountId: AccountId) {
    yield* permits.take(accountId, Effect.fail(MessageErrorAnswers.tooMany))
    return `${yield* fs.makeTempDirectoryScoped({ directory: scratch, prefix: "message-" })}/data`
  })

  const readLong = Effect.fnUntraced(
    function* (request: HttpServerRequest, accountId: AccountId) {
      const scope = yield* Effect.scope
      const read = LongMessage.read(request, Scope.provide(place(accountId), scope))
      const message = parsed(yield* Effect.scoped(read))
      if (message.spooled.size > 0 && !isUpload(message)) return yield* MessageErrorAnswers.notForTool
      return message
    },
    Effect.provideService(FileSystem.FileSystem, fs),
    Effect.catchTag("PlatformError", (error) =>
      Effect.andThen(
        Effect.logError("A message could not be written to the scratch directory", error),
        Effect.fail(storageFull)
      )
    )
  )

  /**
   * The files exist until the scope closes, and so does the message's permit: 8 such messages in total, 2 per
   * account while half are free, then 1. Others wait unread for up to 30 s. Refuses bodies that are too long or
   * have too many parts (413), that are too slow (408: 30 s in total, or per MiB of a long one), and long `data`
   * that is not text (400) or belongs to another tool (413).
   */
  const read = Effect.fn("MessageBody.read")(function* (request: HttpServerRequest, accountId: AccountId) {
    const announced = Number(request.headers["content-length"])
    if (announced > Limits.maxBytes) return yield* MessageErrorAnswers.tooLarge
    if (announced <= Limits.longText) {
      return parsed({ body: yield* BodyReader.read(request, Limits.longText), spooled: nothing })
    }
    return yield* readLong(request, accountId)
  })

  return { read }
})

export class MessageBody extends Context.Service<MessageBody, Effect.Success<typeof make>>()(
  "inferlog/src/edges/mcp/body/MessageBody"
) {
  static readonly layerNoDeps = Layer.effect(MessageBody, make)

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(NodeFileSystem.layer))
}

const nothing: Message["spooled"] = new Map()

const parsed = (message: LongMessage.LongMessage): Message => ({
  ...message,
  json: JsonBytes.parse(message.body)
})

/** The tool's name may come after its arguments. A body that is not JSON is refused elsewhere. */
const isUpload = ({ json, spooled }: Message): boolean => {
  if (Result.isFailure(json)) return true
  const call = JsonRpc.toolCallOf(json.success)
  return call?.params["name"] === "upload_file" && spooled.has(String(call.given["data"]))
}
