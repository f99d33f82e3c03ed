import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Money from "#domain/Money.ts"
import {
  isCreditLimit,
  isOpenRequests,
  isRate,
  isStoredBytes,
  isStreams,
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

/** Parses `none` as `null`. */
const orNone =
  <A>(parse: (text: string) => Option.Option<A>) =>
  (text: string): Option.Option<A | null> =>
    text === "none" ? Option.some(null) : parse(text)

const number = (isLimit: (limit: number) => boolean) =>
  orNone((text) =>
    /^\d{1,10}$/.test(text) ? Option.filter(Option.some(Number(text)), isLimit) : Option.none()
  )

const storedBytes = orNone((text) => Option.filter(ByteSize.parse(text), isStoredBytes))

const rateFlag = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("N/TIME|none"),
    Flag.withDescription(description),
    Flag.filterMap(
      orNone((text) => Option.filter(LimitsText.parseRate(text), isRate)),
      () =>
        `Expected a rate such as 100/60s, of 1 to ${mostCalls} calls in 1 to ${longestWindow} seconds, or none`
    ),
    Flag.optional
  )

const flags = {
  account: accountFlag,
  credit: Flag.String("credit").pipe(
    Flag.withMetavar("USD"),
    Flag.withDescription("How far the available balance may go below zero, such as 100 or 0"),
    Flag.filterMap(
      (text) => Option.filter(Money.parse(text), isCreditLimit),
      () => "Expected an amount from 0 to 1000000000 USD such as 100 or 0"
    ),
    Flag.optional
  ),
  maxOpen: Flag.String("max-open").pipe(
    Flag.withMetavar("N|none"),
    Flag.withDescription("Most requests that have not ended, or none for no limit"),
    Flag.filterMap(number(isOpenRequests), () => `Expected a number from 0 to ${mostOpenRequests}, or none`),
    Flag.optional
  ),
  maxStored: Flag.String("max-stored").pipe(
    Flag.withMetavar("SIZE|none"),
    Flag.withDescription("Most bytes of stored files, such as 100GiB, or none for STORAGE_QUOTA"),
    Flag.filterMap(
      storedBytes,
      () =>
        `Expected a size such as 100GiB, 1.5TB or 0B, at most ${ByteSize.format(mostStoredBytes)}, or none`
    ),
    Flag.optional
  ),
  rate: rateFlag("rate", "Calls of all its keys together to each server, or none for no limit"),
  keyRate: rateFlag("key-rate", "Calls of each of its keys to each server, or none for no limit"),
  maxStreams: Flag.String("max-streams").pipe(
    Flag.withMetavar("N|none"),
    Flag.withDescription("Most open event streams on each server, or none for 10000"),
    Flag.filterMap(number(isStreams), () => `Expected a number from 0 to ${mostStreams}, or none`),
    Flag.optional
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
