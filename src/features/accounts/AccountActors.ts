import { Context, Layer } from "effect"
import * as Account from "#domain/account/Account.ts"
import type { Command, Rejection } from "#domain/account/Command.ts"
import type { Event } from "#domain/account/Event.ts"
import type { State } from "#domain/account/State.ts"
import * as Actors from "#streams/Actors.ts"

export class AccountActors extends Context.Service<
  AccountActors,
  Actors.Actors<State, Command, Event, Rejection>
>()("inferlog/src/features/accounts/AccountActors") {
  static readonly layer = Layer.effect(AccountActors, Actors.make(Account.aggregate))

  /** Of one of several nodes: accounts that others open are in memory from then on. */
  static readonly layerObserving = Layer.effect(
    AccountActors,
    Actors.make(Account.aggregate, { startsOnObserve: true })
  )
}
