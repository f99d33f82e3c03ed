/**
 * What an audit stores in a checkpoint, for a later one to go on from: compressed lines of JSON. It grows with accounts, their
 * payments and keys, and with open requests. The fields are a storage format within a number of `rules`.
 */
import * as zlib from "node:zlib"
import { Option, Schema } from "effect"
import { Limits } from "#domain/account/Limits.ts"
import { AccountId, KeyId } from "#domain/Ids.ts"
import { availableOf, heldOf, type LedgerAccount } from "#domain/Ledger.ts"
import { Quantity } from "#domain/Money.ts"
import { Quote } from "#domain/Pricing.ts"
import { GlobalPosition } from "#streams/GlobalPosition.ts"
import { StreamName } from "#streams/StreamName.ts"
import * as AccountAudit from "./AccountAudit.ts"
import type { AuditState, Resumed } from "./Auditor.ts"
import type { OpenRequest } from "./RequestAudit.ts"

/** Raised by a release that audits by other rules or keeps other facts. Its first audit is then a whole one. */
export const rules = 1

const Amount = Schema.BigIntFromString

const Summary = Schema.TaggedStruct("Summary", {
  entries: Schema.Int,
  external: Amount,
  revenue: Amount,
  latest: Schema.NullOr(Schema.Number)
})

const StoredAccount = Schema.TaggedStruct("Account", {
  id: AccountId,
  available: Amount,
  held: Amount,
  openHolds: Amount,
  isClosed: Schema.Boolean,
  limits: Schema.Struct({
    creditLimit: Limits.fields.creditLimit,
    maxOpenRequests: Limits.fields.maxOpenRequests
  }),
  payments: Schema.Array(Schema.String),
  /** Id, month, and what was spent in it. */
  keys: Schema.Array(Schema.Tuple([KeyId, Schema.Number, Amount])),
  overdraft: Schema.NullOr(Schema.Struct({ position: GlobalPosition, requests: Schema.Int, worst: Amount })),
  totals: Schema.Struct({
    topUps: Amount,
    charges: Amount,
    charged: Schema.Int,
    partial: Schema.Int,
    notBilled: Schema.Int
  })
})

const StoredRequest = Schema.TaggedStruct("Request", {
  stream: StreamName,
  accountId: AccountId,
  keyId: KeyId,
  model: Schema.String,
  quote: Quote,
  submittedAt: Schema.Number,
  output: Schema.NullOr(
    Schema.Struct({
      attempt: Schema.Int,
      delivered: Quantity,
      hasMedia: Schema.Boolean,
      isCut: Schema.optionalKey(Schema.Boolean)
    })
  ),
  isRejected: Schema.Boolean,
  isStored: Schema.Boolean,
  sweepRetries: Schema.Int
})

const Line = Schema.Union([Summary, StoredAccount, StoredRequest])
const encodeLine = Schema.encodeSync(Line)
const decodeLine = Schema.decodeUnknownOption(Schema.fromJsonString(Line))

const accountLine = (id: AccountId, account: AccountAudit.Account, { balance }: AuditState["books"]) =>
  StoredAccount.make({
    id,
    available: balance(account.available),
    held: balance(account.held),
    openHolds: account.openHolds,
    isClosed: account.isClosed,
    limits: account.limits,
    payments: [...account.payments],
    keys: Array.from(account.keys, ([keyId, { month, spent }]) => [keyId, month, spent] as const),
    overdraft: account.overdraft,
    totals: account.totals
  })

function* linesOf({ accounts, books, latest, requests }: AuditState) {
  yield Summary.make({
    entries: books.entries(),
    external: books.balance("external"),
    revenue: books.balance("revenue"),
    latest: latest()
  })
  for (const [id, account] of accounts) yield accountLine(id, account, books)
  for (const [stream, request] of requests) yield StoredRequest.make({ stream, ...request })
}

const newline = 10

/** Compressed. */
export const encode = (state: AuditState): Buffer =>
  zlib.zstdCompressSync(
    Buffer.concat(Array.from(linesOf(state), (line) => Buffer.from(`${JSON.stringify(encodeLine(line))}\n`)))
  )

/** `null` for bytes that `encode` did not write. */
export const decode = (bytes: Buffer): Resumed | null => {
  try {
    return resume(zlib.zstdDecompressSync(bytes))
  } catch {
    return null
  }
}

const resume = (text: Buffer): Resumed | null => {
  const balances = new Map<LedgerAccount, bigint>()
  const accounts = new Map<AccountId, AccountAudit.Account>()
  const requests = new Map<StreamName, OpenRequest>()
  let summary: typeof Summary.Type | undefined
  for (let start = 0; start < text.length;) {
    const end = text.indexOf(newline, start)
    const line = decodeLine(text.toString("utf8", start, end))
    if (end === -1 || Option.isNone(line)) return null
    start = end + 1
    switch (line.value._tag) {
      case "Summary":
        summary = line.value
        break
      case "Account":
        addAccount(line.value, accounts, balances)
        break
      case "Request":
        addRequest(line.value, requests)
    }
  }
  if (summary === undefined) return null
  const { entries, external, latest, revenue } = summary
  balances.set("external", external).set("revenue", revenue)
  return { opening: { balances, entries }, accounts, requests, latest }
}

const addAccount = (
  { available, held, id, keys, overdraft, payments, totals, ...facts }: typeof StoredAccount.Type,
  accounts: Map<AccountId, AccountAudit.Account>,
  balances: Map<LedgerAccount, bigint>
) => {
  balances.set(availableOf(id), available).set(heldOf(id), held)
  accounts.set(
    id,
    AccountAudit.restored(id, {
      ...facts,
      payments: new Set(payments),
      keys: new Map(keys.map(([keyId, month, spent]) => [keyId, { month, spent }])),
      overdraft: overdraft && { accountId: id, ...overdraft },
      totals: { ...totals }
    })
  )
}

const addRequest = (
  { stream, ...request }: typeof StoredRequest.Type,
  requests: Map<StreamName, OpenRequest>
) => {
  requests.set(stream, { ...request })
}
