import { Console, Effect, Option, Redacted } from "effect"
import { Command, Flag, Argument } from "effect/cli"
import * as Money from "#domain/Money.ts"
import { AccountId } from "#domain/Ids.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import { isAmount } from "#src/edges/admin/accounts/AccountOperations.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import * as Remote from "#src/cli/remote/Remote.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as Output from "#src/cli/Output.ts"
import * as PasswordText from "#src/features/accounts/PasswordText.ts"
import { onlyAccount } from "#src/cli/AccountChoice.ts"
import { erase } from "./Erase.ts"
import { limits } from "./Limits.ts"
import { list } from "./List.ts"
import * as PasswordInput from "./PasswordInput.ts"

const account = Argument.String("account").pipe(
  Argument.withDescription("The account, acc_…; optional when there is only one"),
  Argument.withSchema(AccountId),
  Argument.optional
)

const remove = Flags.toggle("remove", "Remove the password; only keys sign in from then on")

const passwd = Command.make(
  "passwd",
  { account, remove, json: Output.json },
  Effect.fnUntraced(function* ({ account, json, remove }) {
    const accountId = Option.isSome(account)
      ? account.value
      : yield* Effect.provide(onlyAccount("name one"), OperatorAccess.layerExisting)
    // Opens the log after the prompt, so that other commands can use it meanwhile.
    const password = remove ? null : yield* PasswordInput.read(accountId)
    yield* Administration.use(({ setPassword }) => setPassword({ accountId, password })).pipe(
      Effect.provide(OperatorAccess.layerExisting)
    )
    if (json) return yield* Output.printJson({ accountId, hasPassword: !remove })
    yield* Console.log(
      remove
        ? `${accountId} no longer has a password.`
        : `Set the password of ${accountId}. Sign in assistants with this account and the password.`
    )
  })
).pipe(
  Command.withDescription(
    "Set the password of an account. It signs in assistants on the server's sign-in page, and gives no other access. " +
      `On a terminal, the command asks for the password twice without showing it. Otherwise it reads the first line of stdin: ${PasswordText.expectation}`
  ),
  Command.withShortDescription("Set or remove the password that signs in assistants"),
  Command.withExamples([
    { command: "inferlog accounts passwd acc_0123456789abcdef" },
    {
      command: "inferlog accounts passwd acc_0123456789abcdef < password.txt",
      description: "Use the first line of the file"
    },
    {
      command: "inferlog accounts passwd acc_0123456789abcdef --remove --json",
      description: "{ accountId, hasPassword }"
    }
  ])
)

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
  Command.provide(OperatorAccess.layer),
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
  ]),
  Remote.administers
)
