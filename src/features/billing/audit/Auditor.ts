/**
 * Folds the log into its own books and checks every event about money. Memory grows with accounts, payments and open
 * requests, not with the log. An event of a request that is not open comes after its end, because only the first event
 * of a stream can open it.
 */
import { AccountId } from "#domain/Ids.ts"
import * as Account from "#domain/account/Account.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { type Entry, entriesOf, type Hold, type MoneyEvent } from "#domain/Ledger.ts"
import type { DomainEvent, EventCodec } from "#domain/EventCodec.ts"
import type { Event as AccountEvent } from "#domain/account/Event.ts"
import { isEnding } from "#domain/inference-request/Ending.ts"
import type { BillingStatus, Event } from "#domain/inference-request/Event.ts"
import * as MoneyEvents from "#projections/ledger/MoneyEvents.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as AccountAudit from "./AccountAudit.ts"
import * as AuditFields from "./AuditFields.ts"
import * as Books from "./Books.ts"
import { brokenBy } from "./Invariant.ts"
import * as RequestAudit from "./RequestAudit.ts"

/** Amounts that an event moved. */
export interface Booked {
  readonly event: RecordedEvent
  readonly accountId: AccountId
  /** `null` for a top-up, like the model. */
  readonly requestId: string | null
  readonly model: string | null
  /** Of a top-up, given by the operator. */
  readonly reference: string | null
  /** Empty if a request was free. */
  readonly entries: ReadonlyArray<Entry>
  /** Billing of the ended request. */
  readonly billing: BillingStatus | null
}

export interface Listener {
  readonly opened: (accountId: AccountId, event: RecordedEvent) => void
  readonly booked: (booked: Booked) => void
}

/** The facts after the events so far. */
export interface AuditState {
  readonly books: Books.Books
  readonly accounts: ReadonlyMap<AccountId, AccountAudit.Account>
  /** By stream. */
  readonly requests: ReadonlyMap<StreamName.StreamName, RequestAudit.OpenRequest>
  /** Time of the latest event that was passed to the listener, Unix time in ms; `null` without one. */
  readonly latest: () => number | null
}

/** The end of an earlier audit (`StoredState`), which this one goes on from and changes. */
export interface Resumed {
  readonly opening: Books.Opening
  readonly accounts: ReadonlyMap<AccountId, AccountAudit.Account>
  readonly requests: ReadonlyMap<StreamName.StreamName, RequestAudit.OpenRequest>
  readonly latest: number | null
}

export interface Auditor {
  /** Throws `AuditFailed` if the event breaks an invariant; the audit cannot continue then. */
  readonly pass: (event: RecordedEvent) => void
  readonly state: AuditState
}

/** No other event may follow the end of a request. */
const afterTheEnd: ReadonlySet<string> = new Set<Event["_tag"]>([
  "LateOutcomeIgnored",
  "PayloadsErased",
  "ErasedFilesRemoved"
])

const moneyTypes: ReadonlySet<string> = new Set(MoneyEvents.types)

/** The latest time that a date can express, ms. */
const lastTime = 8.64e15

/** A change of its rules, or of what it keeps, raises `StoredState.rules`. */
export const make = ({ booked, opened }: Listener, resumed?: Resumed): Auditor => {
  const books = Books.make(resumed?.opening)
  const accounts = AccountAudit.make(resumed?.accounts)
  const requests = new Map<StreamName.StreamName, RequestAudit.OpenRequest>(resumed?.requests)
  let latest = resumed?.latest ?? null

  const told = ({ time }: RecordedEvent) => {
    latest = latest === null ? time : Math.max(latest, time)
  }

  const book = (
    event: RecordedEvent,
    money: MoneyEvent,
    of: { readonly accountId: AccountId; readonly account: AccountAudit.Account } & Pick<
      Booked,
      "model" | "reference" | "billing"
    >,
    hold: Hold | undefined
  ) => {
    const { account, accountId, ...rest } = of
    const entries = entriesOf(money, hold)
    const wrong = books.book(entries)
    if (wrong !== null) throw brokenBy(event, "balanced books", wrong)
    const held = books.balance(account.held)
    if (held !== account.openHolds) {
      const reason = `${held} nano-USD are held, ${account.openHolds} for requests that have not ended`
      throw brokenBy(event, "held for open requests", reason)
    }
    const requestId = money._tag === "ToppedUp" ? null : money.requestId
    AccountAudit.count(account, entries, rest.billing)
    told(event)
    booked({ event, accountId, requestId, entries, ...rest })
  }

  const submit = (event: RecordedEvent) => {
    const money = AuditFields.read(event, MoneyEvents.read)
    if (money?._tag !== "Held") throw brokenBy(event, "known events", "it reserves no money")
    const { accountId, amount } = money
    const account = accounts.get(event, accountId)
    const request = RequestAudit.open(event, accountId)
    requests.set(event.stream, request)
    account.openHolds += amount
    const { model } = request
    book(event, money, { account, accountId, model, reference: null, billing: null }, undefined)
    if (amount > 0n) {
      AccountAudit.noteOverdraft(account, event, accountId, books.balance(account.available))
    }
  }

  const end = (event: RecordedEvent, request: RequestAudit.OpenRequest, billing: BillingStatus) => {
    const money = AuditFields.read(event, MoneyEvents.read)
    if (money === null) throw brokenBy(event, "known events", "it moves no money")
    const { accountId, keyId, model, quote } = request
    const account = accounts.get(event, accountId)
    requests.delete(event.stream)
    account.openHolds -= quote.hold
    if (money._tag === "Captured" && billing !== "failed") {
      AccountAudit.spend(account, keyId, money.amount, event.time)
    }
    const party = { account, accountId, model, reference: null, billing }
    book(event, money, party, { accountId, amount: quote.hold })
  }

  const passRequest = (event: RecordedEvent, type: Event["_tag"]) => {
    const isFirst = event.ordinal === 0
    if (isFirst !== (event.type === "RequestSubmitted")) {
      const reason = isFirst ? "its stream does not begin with its submit" : "it is submitted a second time"
      throw brokenBy(event, "submitted first", reason)
    }
    if (isFirst) return submit(event)
    const request = requests.get(event.stream)
    if (request === undefined) {
      if (!afterTheEnd.has(event.type)) throw brokenBy(event, "one end", "the request had ended before")
      return
    }
    if (isEnding(type)) end(event, request, RequestAudit.end(request, event, type))
    else RequestAudit.pass(request, event, type)
  }

  const passAccount = (event: RecordedEvent, type: AccountEvent["_tag"]) => {
    const accountId = AccountId.make(StreamName.idOf(event.stream))
    switch (type) {
      case "AccountOpened":
        accounts.open(event, accountId)
        told(event)
        return opened(accountId, event)
      case "BalanceToppedUp": {
        const money = AuditFields.read(event, MoneyEvents.read)
        if (money?._tag !== "ToppedUp") throw brokenBy(event, "known events", "it adds no money")
        const account = accounts.get(event, accountId)
        const reference = AccountAudit.payIn(account, event, money.amount)
        return book(event, money, { account, accountId, model: null, reference, billing: null }, undefined)
      }
      case "LimitsChanged": {
        const changed = AuditFields.read(event, MoneyEvents.readLimits)
        if (changed !== null) accounts.get(event, accountId).limits = changed.limits
        return
      }
      case "AccountErased":
        accounts.get(event, accountId).isClosed = true
        return
      case "KeyIssued":
      case "KeyRotated":
      case "KeyRevoked":
      case "SigningSecretRotated":
      case "PasswordChanged":
      case "AccountErasureFinished":
        return
    }
  }

  const categories = [
    { aggregate: InferenceRequest.aggregate, pass: passingBy(InferenceRequest.aggregate.codec, passRequest) },
    { aggregate: Account.aggregate, pass: passingBy(Account.aggregate.codec, passAccount) }
  ].map(({ aggregate, pass }) => ({ prefix: `${aggregate.category}-`, pass }))

  return {
    state: { books, accounts: accounts.all, requests, latest: () => latest },
    pass: (event) => {
      for (const { pass, prefix } of categories) {
        if (!event.stream.startsWith(prefix)) continue
        if (Math.abs(event.time) > lastTime)
          throw brokenBy(event, "known events", "its time is not a valid date")
        return pass(event)
      }
      if (moneyTypes.has(event.type)) {
        throw brokenBy(event, "known events", "its stream is neither an account's nor a request's")
      }
    }
  }
}

/** Refuses events of types that this release does not know. */
const passingBy =
  <E extends DomainEvent>(codec: EventCodec<E>, pass: (event: RecordedEvent, type: E["_tag"]) => void) =>
  (event: RecordedEvent) => {
    if (!codec.isType(event.type)) throw brokenBy(event, "known events", "this release knows no such event")
    pass(event, event.type)
  }
