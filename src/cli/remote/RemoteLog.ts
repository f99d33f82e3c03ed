/** The events of a server elsewhere, in the place of those of this machine. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, Layer, Option } from "effect"
import * as AdminClient from "#src/edges/admin/AdminClient.ts"
import type { Target } from "#src/edges/admin/AdminAnswers.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import type { AdministrationFailed } from "#src/edges/admin/Operation.ts"
import * as LogClient from "#src/edges/admin/log/LogClient.ts"
import type { EventChoice } from "#src/cli/log/EventChoice.ts"
import { ReadPlace } from "#src/cli/log/ReadPlace.ts"
import type { EventReader } from "#streams/EventReader.ts"
import * as Remote from "./Remote.ts"

export const choiceOf = ({ stream, types }: EventChoice): LogClient.Choice => ({
  types,
  stream: Option.getOrUndefined(stream)
})

const place = Layer.effect(
  ReadPlace,
  Effect.map(Administration, ({ measureLog }) => measureLog()).pipe(
    Effect.flatten,
    Effect.map(({ commits }) =>
      ReadPlace.of({ countsCommits: commits !== undefined, untilReplaced: Effect.never })
    )
  )
)

const at = (target: Target, choice: EventChoice) =>
  Layer.merge(LogClient.layerReader(target, choiceOf(choice)), place).pipe(
    Layer.provide(AdminClient.layerAt(target)),
    Layer.provide(NodeHttpClient.layerUndici)
  )

/** The events that are chosen, of the server that flags, variables or a profile name, or else `here`. */
export const orElsewhere = <E, R>(here: Layer.Layer<EventReader | ReadPlace, E, R>, choice: EventChoice) =>
  Layer.unwrap(
    Effect.map(
      Remote.target,
      Option.match({
        onNone: (): Layer.Layer<EventReader | ReadPlace, E | AdministrationFailed, R> => here,
        onSome: (target) => at(target, choice)
      })
    )
  )
