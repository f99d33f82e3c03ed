import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import type { Rate } from "#domain/account/Limits.ts"
import * as Money from "#domain/Money.ts"
import {
  isAmount,
  isRate,
  longestWindow,
  mostCalls,
  mostOpenRequests,
  mostStoredBytes,
  mostStreams
} from "#src/edges/admin/accounts/AccountOperations.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import * as ByteSize from "#src/kernel/settings/ByteSize.ts"
import { accountFlag, chosenAccount } from "#src/cli/AccountChoice.ts"
import * as BalanceText from "#src/cli/balance/BalanceText.ts"
import * as Output from "#src/cli/Output.ts"
import * as LimitsText from "./LimitsText.ts"

/** How the text of a limit is parsed. */
interface Form<A> {
  readonly metavar: string
  readonly parse: (text: string) => Option.Option<A>
  readonly expected: string
}

/** A limit, or `none`, which is `null`. */
const limit = <A>(name: string, { expected, metavar, parse }: Form<A>, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar(`${metavar}|none`),
    Flag.withDescription(description),
    Flag.filterMap(
      (text): Option.Option<A | null> => (text === "none" ? Option.some(null) : parse(text)),
      () => `Expected ${expected}, or none`
    ),
    Flag.optional
  )

const upTo = (most: number): Form<number> => ({
  metavar: "N",
  parse: (text) =>
    /^\d{1,10}$/.test(text) && Number(text) <= most ? Option.some(Number(text)) : Option.none(),
  expected: `a number from 0 to ${most}`
})

const size: Form<number> = {
  metavar: "SIZE",
  parse: (text) => Option.filter(ByteSize.parse(text), (bytes) => bytes <= mostStoredBytes),
  expected: `a size such as 100GiB, 1.5TB or 0B, at most ${ByteSize.format(mostStoredBytes)}`
}

const rate: Form<Rate> = {
  metavar: "N/TIME",
  parse: (text) => Option.filter(LimitsText.parseRate(text), isRate),
  expected: `a rate such as 100/60s, of 1 to ${mostCalls} calls in 1 to ${longestWindow} seconds`
}

const flags = {
  account: accountFlag,
  credit: Flag.String("credit").pipe(
    Flag.withMetavar("USD"),
    Flag.withDescription("How far the available balance may go below zero, such as 100 or 0"),
    Flag.filterMap(
      (text) => Option.filter(Money.parse(text), isAmount),
      () => "Expected an amount from 0 to 1000000000 USD such as 100 or 0"
    ),
    Flag.optional
  ),
  maxOpen: limit(
    "max-open",
    upTo(mostOpenRequests),
    "Most requests that have not ended, or none for no limit"
  ),
  maxStored: limit(
    "max-stored",
    size,
    "Most bytes of stored files, such as 100GiB, or none for STORAGE_QUOTA"
  ),
  rate: limit("rate", rate, "Calls of all its keys together to each server, or none for no limit"),
  keyRate: limit("key-rate", rate, "Calls of each of its keys to each server, or none for no limit"),
  maxStreams: limit(
    "max-streams",
    upTo(mostStreams),
    "Most open event streams on each server, or none for 10000"
  )
}

export const limits = Command.make(
  "limits",
  { ...flags, json: Output.json },
  Effect.fnUntraced(function* ({ account, credit, json, keyRate, maxOpen, maxStored, maxStreams, rate }) {
    const accountId = yield* chosenAccount(account)
    const { changeLimits, showLimits } = yield* Administration
    const changes = {
      ...(Option.isSome(credit) && { creditLimit: credit.value }),
      ...(Option.isSome(maxOpen) && { maxOpenRequests: maxOpen.value }),
      ...(Option.isSome(maxStored) && { maxStoredBytes: maxStored.value }),
      ...(Option.isSome(rate) && { accountRate: rate.value }),
      ...(Option.isSome(keyRate) && { keyRate: keyRate.value }),
      ...(Option.isSome(maxStreams) && { maxStreams: maxStreams.value })
    }
    const limits = yield* Object.keys(changes).length === 0
      ? showLimits({ accountId })
      : changeLimits({ accountId, ...changes })
    if (json) {
      const { currency } = BalanceText
      return yield* Output.printJson({ accountId, ...LimitsText.forPrograms(limits), currency })
    }
    yield* Console.log(
      Output.table(
        ["account", accountId],
        [
          ["credit", BalanceText.usd(limits.creditLimit)],
          ["most open requests", LimitsText.openRequests(limits)],
          ["most stored", LimitsText.stored(limits)],
          ["calls of all keys", LimitsText.rate(limits.accountRate)],
          ["calls of a key", LimitsText.rate(limits.keyRate)],
          ["most streams", LimitsText.streams(limits)]
        ]
      )
    )
  })
).pipe(
  Command.withDescription(
    "Show the limits of an account, or change the given ones. A running server applies them at once"
  ),
  Command.withShortDescription("Show or change the limits of an account"),
  Command.withExamples([
    { command: "inferlog accounts limits" },
    {
      command: "inferlog accounts limits --account acc_0123456789abcdef --credit 100 --max-open 500",
      description: "Up to 100 USD below zero, and up to 500 requests at a time"
    },
    { command: "inferlog accounts limits --max-open none", description: "No limit of requests" },
    { command: "inferlog accounts limits --max-stored 100GiB", description: "At most 100 GiB of files" },
    {
      command: "inferlog accounts limits --rate 100/60s --key-rate 20/1s",
      description: "100 calls in a minute, at most 20 in a second with one key"
    }
  ])
)
