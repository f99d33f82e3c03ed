import { Console, Effect, Layer, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import * as Money from "#domain/Money.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import { isAmount } from "#src/edges/admin/accounts/AccountOperations.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { erase } from "./Erase.ts"
import { limits } from "./Limits.ts"
import { list } from "./List.ts"
import { passwd } from "./Passwd.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as Output from "#src/cli/Output.ts"

const balance = Flag.String("balance").pipe(
  Flag.withMetavar("USD"),
  Flag.withDescription("Opening balance, such as 25 or 0.50"),
  Flag.filterMap(
    (text) => Option.filter(Money.parse(text), isAmount),
    () => "Expected an amount from 0 to 1000000000 USD such as 25 or 0.50"
  )
)

const create = Command.make(
  "create",
  { name: Flags.name("Name of the account"), balance, json: Output.json },
  Effect.fnUntraced(function* ({ json, ...options }) {
    const { accountId, key } = yield* (yield* Administration).openAccount(options)
    yield* Console.error(`Opened account ${accountId}. Its first key, shown only once:`)
    yield* json ? Output.printJson({ accountId, key: Redacted.value(key) }) : Console.log(Redacted.value(key))
  })
).pipe(
  Command.provide(OperatorAccess.layer.pipe(Layer.provide(DataDirectory.layer))),
  Command.withDescription("Open an account with a balance and a first API key, which is printed once"),
  Command.withExamples([
    { command: "inferlog accounts create --name acme --balance 25" },
    { command: "inferlog accounts create --name acme --balance 25 --json", description: "{ accountId, key }" }
  ])
)

export const accounts = Command.make("accounts").pipe(
  Command.withDescription("Accounts, their balances, limits and passwords"),
  Command.withSubcommands([
    create,
    erase,
    passwd,
    list.pipe(Command.provide(OperatorAccess.layerExisting)),
    limits.pipe(Command.provide(OperatorAccess.layerExisting))
  ])
)
