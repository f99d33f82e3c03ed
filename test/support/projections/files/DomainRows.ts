/** The expected rows of the file tables, computed from the domain's states. */
import type { Event } from "#domain/file/Event.ts"
import { type Pending, type Present, purposeOf, type State } from "#domain/file/State.ts"
import type { AccountId, FileId } from "#domain/Ids.ts"

export interface Known {
  readonly fileId: FileId
  readonly log: ReadonlyArray<Event>
  readonly state: State
}

type Kept = Known & { readonly state: Pending | Present }

const isKept = (known: Known): known is Kept =>
  known.state._tag === "Pending" || known.state._tag === "Present"

const originOf = ({ state }: Kept) => (state._tag === "Pending" ? state.upload : state.origin)
const accountOf = (known: Kept) => originOf(known).accountId
const sourceOf = (known: Kept) => {
  const origin = originOf(known)
  return origin._tag === "UploadInitiated" ? "upload" : origin.kind
}
const typeOf = (known: Kept) => {
  const [essence = ""] = originOf(known).contentType.toLowerCase().split(";")
  return { kind: /^[^/]*\//.exec(essence)?.[0] ?? "", essence }
}
const sizeOf = ({ state }: Kept) => (state._tag === "Pending" ? state.upload.size : state.stored.size)
const isSingle = (known: Kept) => {
  const origin = originOf(known)
  return origin._tag === "UploadInitiated" && origin.method._tag === "Single"
}

/** Bytes of arrived uploads and of outputs. */
const storedBytes = (known: ReadonlyArray<Kept>) =>
  known.reduce((sum, each) => {
    const isCounted = each.state._tag === "Present" && sourceOf(each) !== "thumbnail"
    return sum + (isCounted ? each.state.stored.size : 0)
  }, 0)

const row = (known: Kept) => {
  const { fileId, state } = known
  const origin = originOf(known)
  const isUpload = origin._tag === "UploadInitiated"
  return {
    file_id: fileId,
    account_id: origin.accountId,
    source: sourceOf(known),
    request_id: isUpload ? null : origin.requestId,
    file_name: isUpload ? null : origin.fileName,
    name_hash: isUpload ? origin.payloads.name.hash : null,
    name_size: isUpload ? origin.payloads.name.size : null,
    content_type: origin.contentType,
    ...typeOf(known),
    purpose: purposeOf(origin),
    created_at: origin.at,
    is_single: isSingle(known) ? 1 : 0,
    status: state._tag === "Pending" ? "pending" : "uploaded",
    size: sizeOf(known),
    sha256: state._tag === "Pending" ? null : state.stored.sha256,
    uploaded_at: state._tag === "Pending" ? null : state.storedAt,
    expires_at: state._tag === "Pending" ? state.upload.expiresAt : state.expiresAt
  }
}

/** Whether its bytes still have to be removed. */
const isRemoval = ({ log, state }: Known) => {
  if (state._tag !== "Gone" || state.isRemoved || state.accountId === null) return false
  const reasons = log.flatMap((event) => (event._tag === "FileDeleted" ? [event.reason] : []))
  return !reasons.some((reason) => reason === "request_erased" || reason === "discarded")
}

const sorted = (rows: ReadonlyArray<object>) =>
  rows
    .map((row) => JSON.stringify(row))
    .sort()
    .map((row): unknown => JSON.parse(row))

const grouped = <Key extends object, Value extends object>(
  kept: ReadonlyArray<Kept>,
  keyOf: (known: Kept) => Key,
  value: (group: ReadonlyArray<Kept>) => Value
) =>
  [...Map.groupBy(kept, (known) => JSON.stringify(keyOf(known))).values()].flatMap((group) => {
    const [first] = group
    return first === undefined ? [] : [{ ...keyOf(first), ...value(group) }]
  })

/** By table, in the order of `ReadSide.dump`. */
export const of = (known: ReadonlyArray<Known>): Record<string, ReadonlyArray<unknown>> => {
  const kept = known.filter(isKept)
  const account = (known: Kept) => ({ account_id: accountOf(known) })
  const tables = {
    files_files: kept.map(row),
    files_counters: grouped(
      kept.filter((known) => sourceOf(known) !== "thumbnail"),
      (known) => ({
        ...account(known),
        source: sourceOf(known),
        ...typeOf(known),
        purpose: purposeOf(originOf(known))
      }),
      (group) => ({ files: group.length })
    ),
    files_bytes: grouped(kept, account, (group) => ({ bytes: storedBytes(group) })).filter(
      ({ bytes }) => bytes > 0
    ),
    files_removals: known.filter(isRemoval).map(({ fileId }) => ({ file_id: fileId }))
  }
  return Object.fromEntries(Object.entries(tables).map(([table, rows]) => [table, sorted(rows)]))
}

/** The expected result of `Files.bytesOf`. */
export const bytesOf = (known: ReadonlyArray<Known>, accountId: AccountId, singlesSince: number) => {
  const owned = known.filter(isKept).filter((each) => accountOf(each) === accountId)
  const awaited = owned.filter(
    (each) => each.state._tag === "Pending" && (!isSingle(each) || originOf(each).at > singlesSince)
  )
  return awaited.reduce((sum, each) => sum + (sizeOf(each) ?? 0), storedBytes(owned))
}

/** The expected result of `Files.singles`, all pages together. */
export const singles = (known: ReadonlyArray<Known>, announcedAfter: number, announcedBy: number) =>
  known
    .filter(isKept)
    .filter(isSingle)
    .filter((each) => originOf(each).at > announcedAfter && originOf(each).at <= announcedBy)
    .map(({ fileId }) => fileId)
    .sort()
