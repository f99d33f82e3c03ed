import { Console, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { AccountId } from "#domain/Ids.ts"
import * as PasswordText from "#src/features/accounts/PasswordText.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import { onlyAccount } from "#src/cli/AccountChoice.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as Output from "#src/cli/Output.ts"
import * as PasswordInput from "./PasswordInput.ts"

const account = Argument.String("account").pipe(
  Argument.withDescription("The account, acc_…; optional when there is only one"),
  Argument.withSchema(AccountId),
  Argument.optional
)

const remove = Flags.toggle("remove", "Remove the password; only keys sign in from then on")

export const passwd = Command.make(
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
