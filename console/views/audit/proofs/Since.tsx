/** What an incremental proof did not read again. */
import { Time } from "#console/design/data/Time.tsx"

export interface SinceFacts {
  readonly events: number
  readonly whole: { readonly position: string; readonly at: string }
}

const count = new Intl.NumberFormat()

export const Since = ({ since: { events, whole } }: { readonly since: SinceFacts }) => (
  <p>
    It began at a signed checkpoint: {count.format(events)} events before it were not read again. The last
    whole proof was on <Time at={whole.at} form="exact" />, up to position {whole.position}.
  </p>
)
