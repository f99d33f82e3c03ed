/** Limits of the bytes that may wait for clients to read them (decisions, "Errors and limits"). */
import { Config, Option, Schema } from "effect"
import * as ByteSize from "#src/kernel/settings/ByteSize.ts"
import * as Setting from "#src/kernel/settings/Setting.ts"
import type { RoomLimits } from "./AnswerRoom.ts"

const MiB = 1024 * 1024

/** A page of requests with their payloads must fit, the largest answer that is in memory as a whole. */
const least = 64 * MiB

const Size = Schema.String.check(
  Schema.makeFilter((text: string) => Option.exists(ByteSize.parse(text), (bytes) => bytes >= least), {
    expected: "a size of at least 64MiB"
  })
)

const setting = (name: string, bytes: number, description: string, example: string) =>
  Setting.make({
    name,
    config: (name) =>
      Config.map(Config.schema(Size, name), (text) => Option.getOrElse(ByteSize.parse(text), () => bytes)),
    default: bytes,
    defaultText: `\`${ByteSize.format(bytes).replace(" ", "")}\``,
    description,
    accepts: "64MiB or more: a number with `MB`, `GB`, `TB`, `MiB`, `GiB` or `TiB`",
    example
  })

export const answerMemory = setting(
  "ANSWER_MEMORY",
  256 * MiB,
  "how much of large answers may be held for clients that have not read it yet; beyond it large answers are refused with 503. A download counts 512 KiB, whatever its size",
  "512MiB"
)

export const answerMemoryPerClient = setting(
  "ANSWER_MEMORY_PER_CLIENT",
  64 * MiB,
  "how much of that one account may have, or one address for answers without a key, such as files",
  "128MiB"
)

/** One file has at most half of the room, so that other files can still be served. */
export const roomLimits: Config.Config<RoomLimits> = Config.all({
  node: answerMemory.config,
  client: answerMemoryPerClient.config
}).pipe(Config.map(({ client, node }) => ({ node, client, file: node / 2 })))
