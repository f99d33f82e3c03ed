import { Context, Layer } from "effect"
import * as ConsoleSessions from "#domain/console-sessions/ConsoleSessions.ts"
import * as Actors from "#streams/Actors.ts"

export class ConsoleSessionActors extends Context.Service<
  ConsoleSessionActors,
  Actors.Actors<ConsoleSessions.State, ConsoleSessions.Command, ConsoleSessions.Event, never>
>()("inferlog/src/features/accounts/sessions/ConsoleSessionActors") {
  static readonly layer = Layer.effect(ConsoleSessionActors, Actors.make(ConsoleSessions.aggregate))
}
