/** The status of a delivery, and why its last attempt failed, in words. */
import { Badge, type BadgeKind } from "#console/design/feedback/Badge.tsx"

type Status = "pending" | "delivering" | "delivered" | "failed"

const kinds: Readonly<Record<Status, BadgeKind>> = {
  pending: "warning",
  delivering: "info",
  delivered: "good",
  failed: "alarm"
}

const names: Readonly<Record<Status, string>> = {
  pending: "Pending",
  delivering: "Sending",
  delivered: "Delivered",
  failed: "Failed"
}

export const DeliveryStatus = ({ status }: { readonly status: Status }) => (
  <Badge kind={kinds[status]}>{names[status]}</Badge>
)

const reasons: Readonly<Record<string, string>> = {
  timeout: "No answer within 15 seconds",
  connection_failed: "The connection was refused or cut off",
  dns_error: "The name has no address",
  tls_error: "The certificate is not valid",
  redirect_refused: "It answered with a redirect, which is not followed",
  gone: "It answered 410, so it is not tried again",
  private_address: "The URL leads to a private address"
}

/** @param error the word of the API; `null`: none. */
export const errorText = (error: string | null): string => {
  if (error === null) return ""
  return reasons[error] ?? (error.startsWith("http_") ? `It answered ${error.slice(5)}` : error)
}
