/** How large messages to the assistant-tool server may be, and for how long they are waited for. */
import { Duration } from "effect"
import * as JsonBody from "#src/edges/http/requests/JsonBody.ts"

const KiB = 1024
const MiB = 1024 * KiB

/** Bytes of `data` from which on it goes to a file. */
export const longText = 256 * KiB

/** Bytes of everything else in a message together. */
export const maxTextBytes = JsonBody.maxBytes

/** Bytes of a body: 200 MiB in base64, with line ends, in the rest of a message. */
export const maxBytes = 300 * MiB

/** Messages with text in files: on disk they take at most 2.4 GiB. Few slow accounts cannot keep the others out. */
export const permits = { total: 8, perKey: 2, reservesHalf: true, patience: "30 seconds" } as const

/** Bytes that a client has to bring in each `BodyTimeout` once its message is a long one. */
export const leastBytes = MiB

/**
 * Members and elements, at any depth: each is looked at several times on its way to a tool, in one go. Twenty thousand take
 * 20 to 100 ms.
 */
export const mostParts = 20_000

/** Of each message, without `input` and `data`: arguments are few, and what is wrong with them is told one by one. */
export const ofItsOwn = { parts: 256, characters: 16 * KiB } as const

/** For a long one in all. */
export const longestBody = Duration.minutes(15)
