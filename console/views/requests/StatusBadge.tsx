/** The status of a request in a word. */
import { Badge, type BadgeKind } from "#console/design/feedback/Badge.tsx"

const looks: Readonly<Record<string, readonly [kind: BadgeKind, word: string]>> = {
  IN_QUEUE: ["neutral", "In queue"],
  IN_PROGRESS: ["info", "Running"],
  COMPLETED: ["good", "Completed"],
  FAILED: ["alarm", "Failed"],
  CANCELLED: ["warning", "Cancelled"]
}

/** The words of outcomes that say more than their status. */
const outcomes: Readonly<Record<string, readonly [kind: BadgeKind, word: string]>> = {
  partial: ["good", "Partly delivered"],
  invalid_output: ["alarm", "Invalid output"],
  provider_failed: ["alarm", "Run failed"],
  expired: ["warning", "Expired"]
}

export const statusWord = (status: string): string => looks[status]?.[1] ?? status

export const StatusBadge = ({ outcome, status }: { readonly status: string; readonly outcome?: string }) => {
  const [kind, word] = outcomes[outcome ?? ""] ?? looks[status] ?? (["neutral", status] as const)
  return <Badge kind={kind}>{word}</Badge>
}
