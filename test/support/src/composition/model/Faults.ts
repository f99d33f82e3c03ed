/** Failing appends of single sequences, on any node. */
import type { Append } from "#streams/EventStore.ts"
import type { Fate } from "#test/support/AppendFaults.ts"

interface Fault {
  readonly accountId: string
  /** The next append of the account's requests with an event of this type. */
  readonly type: string
  readonly fate: Exclude<Fate, "stored">
}

export interface Faults {
  readonly add: (fault: Fault) => void
  readonly clear: () => void
  readonly fateOf: (append: Append) => Fate
  /** Whether the stream has an event whose append was reported as failed. */
  readonly wasUnheard: (stream: string) => boolean
}

export const make = (): Faults => {
  let faults: ReadonlyArray<Fault> = []
  const unheard = new Set<string>()
  const owners = new Map<string, unknown>()

  return {
    add: (fault) => void (faults = [...faults, fault]),
    clear: () => void (faults = []),
    fateOf: ({ events, stream }) => {
      const [{ data, type }] = events
      if (type === "RequestSubmitted") owners.set(stream, data["accountId"])
      if (faults.length === 0) return "stored"
      const owner = owners.get(stream)
      const found = faults.find(
        (fault) => fault.accountId === owner && events.some((event) => event.type === fault.type)
      )
      if (found === undefined) return "stored"
      faults = faults.filter((fault) => fault !== found)
      if (found.fate === "stored unheard") unheard.add(stream)
      return found.fate
    },
    wasUnheard: (stream) => unheard.has(stream)
  }
}
