/** Figures of the last minute with the last hour as lines. */
import { Sparkline } from "#console/design/chart/Sparkline.tsx"
import { durationText } from "#console/design/data/Duration.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Stat } from "#console/design/layout/Stat.tsx"
import { Grid } from "#console/design/layout/Stack.tsx"
import type { Overview } from "../parts/Live.ts"

type Pulse = Overview["allNodes"]
type Minute = Pulse["minutes"][number]

const counted = [
  ["accepted", "Accepted"],
  ["dispatched", "Runs begun"],
  ["completed", "Completed"],
  ["failed", "Failed"]
] as const

/** The minute under way is left out, because it is not over. */
const lineOf = (minutes: ReadonlyArray<Minute>, of: (minute: Minute) => number | null) =>
  minutes.slice(0, -1).map(of)

const mostOf = (values: ReadonlyArray<number | null>) => Math.max(0, ...values.map((value) => value ?? 0))

const wait = (ms: number | null) => (ms === null ? "–" : durationText(ms))

export const Rates = ({ overview, pulse }: { readonly overview: Overview; readonly pulse: Pulse }) => {
  const { lastMinute, minutes } = pulse
  const queued = lineOf(minutes, (minute) => minute.queued)
  const waits = lineOf(minutes, ({ p90WaitMs }) => p90WaitMs)
  const share =
    lastMinute.completed + lastMinute.failed === 0
      ? null
      : Math.round((100 * lastMinute.failed) / (lastMinute.completed + lastMinute.failed))
  return (
    <Section title="Now, and in the last hour" isPlain>
      <div data-measured>
        <Grid>
          <Stat name="Waiting" value={overview.queued} note={`${overview.running} running`}>
            <Sparkline
              label={`Waiting requests in the last hour, at most ${mostOf(queued)}`}
              values={queued}
            />
          </Stat>
          <Stat
            name="Wait, half of runs"
            value={wait(lastMinute.p50WaitMs)}
            note={`nine of ten: ${wait(lastMinute.p90WaitMs)}`}
          >
            <Sparkline
              label={`Wait of nine of ten runs in the last hour, at most ${wait(mostOf(waits))}`}
              values={waits}
            />
          </Stat>
          {counted.map(([field, name]) => {
            const values = lineOf(minutes, (minute) => minute[field])
            const hour = minutes.reduce((sum, minute) => sum + minute[field], 0)
            return (
              <Stat
                key={field}
                name={`${name} a minute`}
                value={lastMinute[field]}
                note={
                  field === "failed" && share !== null
                    ? `${share} % of ended, ${hour.toLocaleString()} in the hour`
                    : `${hour.toLocaleString()} in the hour`
                }
              >
                <Sparkline
                  label={`${name} in each minute of the last hour, at most ${mostOf(values)}`}
                  values={values}
                />
              </Stat>
            )
          })}
        </Grid>
      </div>
    </Section>
  )
}
