/** What of webhooks is shown, in the URL. */
import { among, given, matching } from "#console/app/SearchValues.ts"

export const statuses = ["pending", "delivering", "delivered", "failed"] as const
export const events = ["start", "completed"] as const
const parts = ["deliveries", "secret", "test"] as const

export const parse = (search: Readonly<Record<string, unknown>>) =>
  given({
    part: among(parts, search["part"]),
    status: among(statuses, search["status"]),
    event: among(events, search["event"]),
    requestId: matching(/^[\w-]{21}$/, search["requestId"])
  })

export type WebhooksSearch = ReturnType<typeof parse>

/** The attempt that is open. */
export const parseAttempt = ({
  attempt
}: Readonly<Record<string, unknown>>): { readonly attempt?: number } => {
  const number = Number(attempt)
  return Number.isInteger(number) && number > 0 ? { attempt: number } : {}
}
