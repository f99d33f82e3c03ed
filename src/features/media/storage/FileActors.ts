import { Context, Layer } from "effect"
import type { Command, Rejection } from "#domain/file/Command.ts"
import type { Event } from "#domain/file/Event.ts"
import * as File from "#domain/file/File.ts"
import type { State } from "#domain/file/State.ts"
import * as Actors from "#streams/Actors.ts"

export class FileActors extends Context.Service<
  FileActors,
  Actors.Actors<State, Command, Event, Rejection>
>()("inferlog/src/features/media/storage/FileActors") {
  static readonly layer = Layer.effect(FileActors, Actors.make(File.aggregate))
}
