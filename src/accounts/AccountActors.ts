import { Context, Layer } from "effect"
import * as Account from "#domain/account/Account.ts"
import * as Actors from "#streams/Actors.ts"

export class AccountActors extends Context.Service<
  AccountActors,
  Actors.Actors<Account.State, Account.Command, Account.Event, Account.Rejection>
>()("inferlog/src/accounts/AccountActors") {
  static readonly layer = Layer.effect(AccountActors, Actors.make(Account.aggregate))

  /** Of one of several nodes: accounts that others open are in memory from then on. */
  static readonly layerObserving = Layer.effect(
    AccountActors,
    Actors.make(Account.aggregate, { beginsObserved: true })
  )
}
