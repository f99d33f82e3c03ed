import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { Administration } from "#src/edges/admin/Administration.ts"
import { accountFlag, chosenAccount } from "#src/cli/AccountChoice.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import * as Remote from "#src/cli/remote/Remote.ts"
import * as Output from "#src/cli/Output.ts"
import * as BalanceText from "./BalanceText.ts"
import { topUp } from "./TopUp.ts"

const show = Command.make(
  "show",
  { account: accountFlag, json: Output.json },
  Effect.fnUntraced(function* ({ account, json }) {
    const accountId = yield* chosenAccount(account)
    const balance = yield* (yield* Administration).showBalance({ accountId })
    yield* BalanceText.warn(balance)
    yield* json
      ? Output.printJson({ accountId, ...BalanceText.forPrograms(balance) })
      : Console.log(BalanceText.forPeople(balance))
  })
).pipe(
  Command.withDescription(
    "Show the balance of an account: the total, the part reserved for requests that have not ended, and the available rest"
  ),
  Command.withShortDescription("Show the balance of an account"),
  Command.withExamples([
    { command: "inferlog balance show" },
    { command: "inferlog balance show --account acc_0123456789abcdef --json" }
  ])
)

export const balance = Command.make("balance").pipe(
  Command.withDescription("Balances and payments"),
  Command.withSubcommands([show, topUp]),
  Command.provide(OperatorAccess.layerExisting),
  Remote.administers
)
