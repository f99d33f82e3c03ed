/** The query parameters that choose among an account's deliveries (contract, "Webhook management"). */
import { Result } from "effect"
import { RequestId, requestIdPattern } from "#domain/Ids.ts"
import { WebhookEventName } from "#domain/inference-request/Event.ts"
import type { Filter } from "#projections/deliveries/Deliveries.ts"
import { DeliveryStatus } from "#projections/deliveries/DeliveryItem.ts"
import { invalid, issue, issues, type Parsed } from "./Parsed.ts"

export interface DeliveryQuery {
  readonly requestId?: string | undefined
  readonly status?: string | undefined
  readonly event?: string | undefined
}

type Chosen = Omit<Filter, "accountId">

export const parse = ({ event, requestId, status }: DeliveryQuery): Parsed<Chosen> => {
  const parts: Readonly<Record<string, Parsed<Chosen>>> = {
    requestId: parseRequestId(requestId),
    status: Result.map(parseOneOf("status", DeliveryStatus.literals, status), (status) =>
      status === undefined ? {} : { status }
    ),
    event: Result.map(parseOneOf("event", WebhookEventName.literals, event), (event) =>
      event === undefined ? {} : { event }
    )
  }
  return Result.all(parts).pipe(
    Result.map((chosen): Chosen => Object.assign({}, ...Object.values(chosen))),
    Result.mapError(() => issues(parts))
  )
}

const parseRequestId = (text: string | undefined): Parsed<Chosen> => {
  if (text === undefined) return Result.succeed({})
  return requestIdPattern.test(text)
    ? Result.succeed({ requestId: RequestId.make(text) })
    : invalid(issue(["requestId"], "pattern", "must be 21 characters of A-Z, a-z, 0-9, _ and -"))
}

const parseOneOf = <Name extends string>(
  parameter: string,
  names: ReadonlyArray<Name>,
  text: string | undefined
): Parsed<Name | undefined> => {
  const found = names.find((name) => name === text)
  return text === undefined || found !== undefined
    ? Result.succeed(found)
    : invalid(issue([parameter], "enum", `must be one of ${names.join(", ")}`))
}
