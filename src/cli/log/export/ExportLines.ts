import { Effect, Option, Stream } from "effect"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as EventChoice from "../EventChoice.ts"
import * as EventLine from "#src/edges/admin/log/EventLine.ts"
import * as LogProgress from "../LogProgress.ts"

export interface Choice extends EventChoice.EventChoice {
  readonly after: GlobalPosition.GlobalPosition
  /** Last position to export. */
  readonly until: Option.Option<GlobalPosition.GlobalPosition>
  readonly follow: boolean
}

const none = { report: () => Effect.void, clear: Effect.void }

export const make = Effect.fnUntraced(function* (
  choice: Choice,
  options: { readonly showProgress: boolean }
) {
  const { after, follow } = choice
  const head = yield* (yield* EventReader).head
  const until = Option.getOrUndefined(choice.until)
  const matches = EventChoice.matcher(choice)
  const isPlain = Option.isNone(choice.stream) && choice.types.length === 0
  const last = until !== undefined && GlobalPosition.isReached(until, head) ? until : head
  const end = follow ? null : last
  const progress = options.showProgress ? yield* LogProgress.make({ after, end }) : none
  let reached = after
  let events = 0
  let exported: RecordedEvent | undefined

  const toText = (page: ReadonlyArray<RecordedEvent>): string => {
    const wanted = isPlain ? page : page.filter(matches)
    reached = page.at(-1)?.position ?? reached
    events += wanted.length
    exported = wanted.at(-1) ?? exported
    let text = ""
    for (const event of wanted) text += EventLine.json(event)
    return text
  }

  const isEmpty = until !== undefined && GlobalPosition.isReached(until, after)
  const chosen = yield* EventChoice.read({ after, follow })
  const upToEnd =
    until === undefined
      ? chosen
      : Stream.takeUntil(chosen, ({ position }) => GlobalPosition.isReached(until, position))

  return {
    texts: (isEmpty ? Stream.empty : upToEnd).pipe(
      Stream.mapArrayEffect((page) => {
        const text = toText(page)
        return Effect.as(progress.report(reached), [text] as const)
      })
    ),
    exported: () => ({ events, position: exported?.position ?? null }),
    clearProgress: progress.clear
  }
})
