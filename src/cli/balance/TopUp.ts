import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Money from "#domain/Money.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { isPayment, isPaymentId, isReference } from "#src/edges/admin/accounts/AccountOperations.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import { AdministrationFailed } from "#src/edges/admin/AdministrationFailed.ts"
import { accountFlag, chosenAccount } from "#src/cli/AccountChoice.ts"
import * as Output from "#src/cli/Output.ts"
import * as BalanceText from "./BalanceText.ts"

const flags = {
  amount: Flag.String("amount").pipe(
    Flag.withMetavar("USD"),
    Flag.withDescription("How much, such as 25 or 0.50"),
    Flag.filterMap(
      (text) => Option.filter(Money.parse(text), isPayment),
      () => "Expected an amount above 0, at most 1000000000 USD, such as 25 or 0.50"
    )
  ),
  account: accountFlag,
  reference: Flag.String("reference").pipe(
    Flag.withMetavar("text"),
    Flag.withDescription("What the payment was for"),
    Flag.filter(isReference, () => "Expected at most 200 characters, none of them a control character"),
    Flag.withDefault("")
  ),
  paymentId: Flag.String("payment-id").pipe(
    Flag.withMetavar("id"),
    Flag.withDescription("Names the payment, so that the command may be repeated; made up otherwise"),
    Flag.filter(isPaymentId, () => "Expected 1 to 100 visible ASCII characters"),
    Flag.optional
  )
}

/** A command that failed may have done its work. */
const toBeRepeated = (paymentId: string) => (error: AdministrationFailed) =>
  new AdministrationFailed({
    reason: `${error.message}. It may have been paid in: repeat the command with --payment-id ${paymentId}`
  })

export const topUp = Command.make(
  "topup",
  { ...flags, json: Output.json },
  Effect.fnUntraced(function* ({ account, amount, json, paymentId: named, reference }) {
    const accountId = yield* chosenAccount(account)
    const paymentId = Option.getOrElse(named, () => `pay_${ApiKey.randomLetters(16)}`)
    const { applied, balance } = yield* (yield* Administration)
      .topUp({ accountId, amount, reference, paymentId })
      .pipe(Effect.catchTag("AdministrationFailed", toBeRepeated(paymentId)))
    yield* BalanceText.warn(balance)
    if (json) {
      const paid = { accountId, paymentId, amount: Money.format(amount), applied }
      return yield* Output.printJson({ ...paid, ...BalanceText.forPrograms(balance) })
    }
    yield* Console.error(
      applied
        ? `Paid in ${BalanceText.usd(amount)} as payment ${paymentId}.`
        : `Payment ${paymentId} had been paid in before: nothing has changed.`
    )
    yield* Console.log(BalanceText.forPeople(balance))
  })
).pipe(
  Command.withDescription(
    "Pay into an account and print what it has now. Repeated with the same payment id it changes nothing"
  ),
  Command.withShortDescription("Pay into an account"),
  Command.withExamples([
    { command: "inferlog balance topup --amount 25" },
    {
      command:
        "inferlog balance topup --account acc_0123456789abcdef --amount 25 --payment-id inv-2041 --reference 'Invoice 2041'",
      description: "May be repeated"
    }
  ])
)
