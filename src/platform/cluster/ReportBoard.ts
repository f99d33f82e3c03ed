/** The last heartbeat of each node with its report, and the signals that heartbeats carry. Times are Unix ms. */
import { Option, Schema } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { HeardNode } from "./NodeReports.ts"

/** A longer heartbeat is sent without its report, bytes. */
export const longestHeartbeat = 128 * 1_024

/** How long a node that is gone stays known, ms, and how many of them. */
const rememberedMs = 10 * 60_000
const mostGone = 200

/** The signals that a heartbeat carries, and how long each is repeated, ms. */
const mostSignals = 50
const repeatedMs = 30_000

/** Ids of received signals. */
const mostSeen = 10_000

const Signal = Schema.Struct({ id: Schema.String, text: Schema.String })
type Signal = typeof Signal.Type

const Heartbeat = Schema.fromJsonString(
  Schema.Struct({
    signals: Schema.optionalKey(Schema.Array(Signal)),
    startedAt: Schema.optionalKey(Schema.Finite),
    parts: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json))
  })
)
const decode = Schema.decodeOption(Heartbeat)

/** Most heartbeats begin like this, and are parsed only when their report is read. */
const withoutSignals = '{"signals":[],'

interface Entry {
  readonly text: string
  readonly heardAt: number
  parsed: typeof Heartbeat.Type | null
}

const nothing: typeof Heartbeat.Type = {}

const contentOf = (entry: Entry) => (entry.parsed ??= Option.getOrElse(decode(entry.text), () => nothing))

export interface ReportBoard {
  /** The text of a heartbeat. */
  readonly compose: (parts: Readonly<Record<string, Json>>, now: number) => string
  /** Returns the signals that are new. */
  readonly heard: (node: string, text: string, now: number) => ReadonlyArray<string>
  readonly list: (live: ReadonlyArray<string>, now: number) => ReadonlyArray<HeardNode>
  readonly signal: (id: string, text: string, now: number) => void
}

export const make = (self: string, startedAt: number): ReportBoard => {
  const entries = new Map<string, Entry>()
  const seen = new Set<string>()
  let own: ReadonlyArray<Signal & { readonly at: number }> = []

  /** The node that was silent for longest is first. */
  const forget = (live: ReadonlySet<string>, now: number) => {
    const gone = [...entries]
      .filter(([name]) => !live.has(name))
      .sort(([, a], [, b]) => a.heardAt - b.heardAt)
    gone.forEach(([name, { heardAt }], index) => {
      if (now - heardAt > rememberedMs || gone.length - index > mostGone) entries.delete(name)
    })
  }

  const newOf = (signals: ReadonlyArray<Signal>) =>
    signals.slice(0, mostSignals).flatMap(({ id, text }) => {
      if (seen.has(id)) return []
      seen.add(id)
      if (seen.size > mostSeen) for (const oldest of seen) if (seen.delete(oldest)) break
      return [text]
    })

  return {
    compose: (parts, now) => {
      own = own.filter(({ at }) => now - at < repeatedMs)
      const signals = own.map(({ id, text }) => ({ id, text }))
      const text = JSON.stringify({ signals, name: self, startedAt, parts })
      return text.length > longestHeartbeat
        ? JSON.stringify({ signals, name: self, startedAt, parts: {} })
        : text
    },
    heard: (node, text, now) => {
      const entry: Entry = { text, heardAt: now, parsed: null }
      entries.set(node, entry)
      return node === self || text.startsWith(withoutSignals) ? [] : newOf(contentOf(entry).signals ?? [])
    },
    list: (live, now) => {
      const alive = new Set(live)
      forget(alive, now)
      return [...entries]
        .map(([name, entry]): HeardNode => {
          const { parts = {}, startedAt = null } = contentOf(entry)
          return {
            name,
            isSelf: name === self,
            isLive: alive.has(name),
            startedAt,
            heardAt: entry.heardAt,
            parts
          }
        })
        .sort((a, b) => (a.name < b.name ? -1 : 1))
    },
    signal: (id, text, now) => {
      own = [...own, { id, text, at: now }].slice(-mostSignals)
    }
  }
}
