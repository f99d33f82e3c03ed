/** The actions of two clients on their files, and other events. */
import * as fc from "fast-check"

const clients = ["alice", "bob"] as const
export type Client = (typeof clients)[number]

/** The index of an announced file, from 0. */
type Nth = number

/** The retention of files, short so that little happens meanwhile. */
export const keptHours = 10

export type Fate = "refused" | "stored unheard"

export type Command =
  /** In one PUT, or in parts. `size`: bytes, as declared. */
  | {
      readonly _tag: "Initiate"
      readonly client: Client
      readonly isMultipart: boolean
      readonly size: number | null
    }
  /** By any client with the URL. */
  | { readonly _tag: "Put"; readonly nth: Nth; readonly text: string }
  | {
      readonly _tag: "PutPart"
      readonly client: Client
      readonly nth: Nth
      readonly number: number
      readonly text: string
    }
  /** Of all arrived parts, or with a wrong ETag. */
  | { readonly _tag: "Complete"; readonly client: Client; readonly nth: Nth; readonly isWrong: boolean }
  | { readonly _tag: "Delete" | "Get"; readonly client: Client; readonly nth: Nth }
  | { readonly _tag: "Read"; readonly nth: Nth }
  | { readonly _tag: "List"; readonly client: Client }
  | { readonly _tag: "Time"; readonly seconds: number }
  /** A fault is followed by another action. */
  | { readonly _tag: "Sweep"; readonly fault: { readonly type: string; readonly fate: Fate } | null }
  /** The fate of the next append with an event of the type. */
  | {
      readonly _tag: "Fault"
      readonly type: "UploadCompleted" | "FileDeleted" | "BytesRemoved"
      readonly fate: Fate
    }

const client = fc.constantFrom(...clients)
const nth = fc.nat({ max: 4 })
const text = fc.constantFrom("", "a", "bb", "cc")
const fate = fc.constantFrom<Fate>("refused", "stored unheard")
const hour = 3_600

const initiate: fc.Arbitrary<Command> = fc.record({
  _tag: fc.constant("Initiate"),
  client,
  isMultipart: fc.boolean(),
  size: fc.constantFrom(null, null, 0, 2)
})

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 3, arbitrary: initiate },
  { weight: 6, arbitrary: fc.record({ _tag: fc.constant("Put"), nth, text }) },
  {
    weight: 5,
    arbitrary: fc.record({
      _tag: fc.constant("PutPart"),
      client,
      nth,
      number: fc.constantFrom(1, 1, 1, 2),
      text
    })
  },
  {
    weight: 4,
    arbitrary: fc.record({
      _tag: fc.constant("Complete"),
      client,
      nth,
      isWrong: fc.constantFrom(false, false, false, true)
    })
  },
  { weight: 3, arbitrary: fc.record({ _tag: fc.constantFrom("Delete", "Get"), client, nth }) },
  { weight: 3, arbitrary: fc.record({ _tag: fc.constant("Read"), nth }) },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("List"), client }) },
  {
    weight: 3,
    arbitrary: fc.record({
      _tag: fc.constant("Time"),
      seconds: fc.constantFrom(1, 60, hour - 1, hour, 4 * hour, 9 * hour, keptHours * hour)
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      _tag: fc.constant("Sweep"),
      fault: fc.oneof(
        fc.constant(null),
        fc.record({ type: fc.constantFrom("FileExpired", "BytesRemoved"), fate })
      )
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({
      _tag: fc.constant("Fault"),
      type: fc.constantFrom("UploadCompleted", "FileDeleted", "BytesRemoved"),
      fate
    })
  }
)

export const script: fc.Arbitrary<ReadonlyArray<Command>> = fc
  .tuple(initiate, fc.array(command, { maxLength: 18, size: "max" }))
  .map(([first, rest]) => [first, ...rest])
