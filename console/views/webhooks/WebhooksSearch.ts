/** What of webhooks is shown, in the URL. */

export const statuses = ["pending", "delivering", "delivered", "failed"] as const
export const events = ["start", "completed"] as const
const parts = ["deliveries", "secret", "test"] as const

export interface WebhooksSearch {
  readonly part?: (typeof parts)[number]
  readonly status?: (typeof statuses)[number]
  readonly event?: (typeof events)[number]
  readonly requestId?: string
}

const oneOf = <A extends string>(all: ReadonlyArray<A>, value: unknown): A | undefined =>
  all.find((one) => one === value)

const requestPattern = /^[\w-]{21}$/

export const parse = (search: Readonly<Record<string, unknown>>): WebhooksSearch => {
  const { event, part, requestId, status } = search
  const found = {
    part: oneOf(parts, part),
    status: oneOf(statuses, status),
    event: oneOf(events, event),
    requestId: typeof requestId === "string" && requestPattern.test(requestId) ? requestId : undefined
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
}

/** The attempt that is open. */
export const parseAttempt = ({
  attempt
}: Readonly<Record<string, unknown>>): { readonly attempt?: number } => {
  const number = Number(attempt)
  return Number.isInteger(number) && number > 0 ? { attempt: number } : {}
}
