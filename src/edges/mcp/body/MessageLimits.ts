/** Size and time limits of messages to the assistant-tool server. */
import { Duration } from "effect"
import * as JsonBody from "#src/edges/http/requests/JsonBody.ts"

const KiB = 1024
const MiB = 1024 * KiB

/** `data` of this many bytes goes to a file. */
export const longText = 256 * KiB

/** Bytes of the rest of a message. */
export const maxTextBytes = JsonBody.maxBytes

/** Bytes of a body: 200 MiB in base64 with line ends, and the rest of a message. */
export const maxBytes = 300 * MiB

/** Messages with text in files: on disk they take at most 2.4 GiB. Few slow accounts cannot keep the others out. */
export const permits = { total: 8, perKey: 2, reservesHalf: true, patience: "30 seconds" } as const

/** Bytes that a long message must deliver within each `BodyTimeout`. */
export const leastBytes = MiB

/** Members and elements, at any depth. A message is traversed several times: twenty thousand take 20 to 100 ms. */
export const mostParts = 20_000

/** Limits of a message without `input` and `data`: it has few arguments, and each fault is reported. */
export const ofItsOwn = { parts: 256, characters: 16 * KiB } as const

/** For a long message in total. */
export const longestBody = Duration.minutes(15)
