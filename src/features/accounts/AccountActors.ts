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

  /** On several nodes, accounts of other nodes are in memory as soon as they are opened. */
  static readonly layerObserving = Layer.effect(
    AccountActors,
    Actors.make(Account.aggregate, { startsOnObserve: true })
  )
}
