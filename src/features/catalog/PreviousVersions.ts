/** Changed or withdrawn definitions that requests were submitted against. */
import { Effect, Result, Schedule } from "effect"
import { CatalogRows } from "#projections/catalog/CatalogRows.ts"
import { type CatalogEntry, NotKnownHere } from "./models/Catalog.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import * as Offer from "./Offer.ts"
import * as StoredItems from "./StoredItems.ts"

/** Compiled definitions that are cached. */
const capacity = 512

const again = { times: 20, schedule: Schedule.spaced("100 millis") }

interface PreviousVersions {
  /** `null` if the rows lack the version. Fails, with a log line, for one that this release cannot offer. */
  readonly find: (endpoint: string, version: string) => Effect.Effect<CatalogEntry | null, NotKnownHere>
}

const logUnreadable = (endpoint: string, version: string) =>
  Effect.logError("An earlier definition of the catalog cannot be read by this release").pipe(
    Effect.annotateLogs({ model: endpoint, version })
  )

/** Requests name a wrapper's version together with its base's: `<its own>.<its base's>`. */
const partsOf = (version: string): readonly [own: string, base: string | null] => {
  const end = version.indexOf(".")
  return end === -1 ? [version, null] : [version.slice(0, end), version.slice(end + 1)]
}

export const make = Effect.gen(function* () {
  const rows = yield* CatalogRows
  const kept = RecentlyUsed.make<Offer.Offer>({ capacity })
  const logged = RecentlyUsed.make<true>({ capacity })

  const read = Effect.fnUntraced(function* (endpoint: string, version: string) {
    const row = yield* rows.version({ endpoint, version }).pipe(Effect.retry(again), Effect.orDie)
    if (row === null) return null
    const runnable = StoredItems.runnable(row)
    if (Result.isSuccess(runnable)) return runnable.success
    if (logged.get(`${endpoint} ${version}`) === undefined) yield* logUnreadable(endpoint, version)
    logged.set(`${endpoint} ${version}`, true)
    return yield* new NotKnownHere({ endpoint })
  })

  const readOffer = Effect.fnUntraced(function* (endpoint: string, version: string) {
    const [own, ofBase] = partsOf(version)
    const found = yield* read(endpoint, own)
    if (found === null) return null
    if (found.kind === "model") return ofBase === null ? Offer.ofModel(found.model) : null
    const base = ofBase === null ? null : yield* read(found.wrapper.base, ofBase)
    return base?.kind === "model" ? Offer.ofWrapper(found.wrapper, Offer.ofModel(base.model)) : null
  })

  const find = Effect.fnUntraced(function* (endpoint: string, version: string) {
    const key = `${endpoint} ${version}`
    const offer = kept.get(key) ?? (yield* readOffer(endpoint, version))
    if (offer === null) return null
    kept.set(key, offer)
    return yield* offer.known()
  })

  const earlier: PreviousVersions = { find }
  return earlier
})
