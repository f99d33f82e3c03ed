/** What the server and the browser have found, and which of them has checked what. */
import { Link } from "@tanstack/react-router"
import { Money } from "#console/design/data/Money.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Facts } from "#console/design/layout/Facts.tsx"
import { Stack } from "#console/design/layout/Stack.tsx"
import * as Rules from "../books/Rules.ts"
import type { BalanceProof } from "./UseBalanceProof.ts"

const count = new Intl.NumberFormat()

export const BalanceVerdict = ({ proof }: { readonly proof: BalanceProof }) => {
  const { checked, error, isHashed, result, state } = proof
  if (state === "idle") return null
  if (error !== null) return <Notice kind="alarm" title="No proof was made" error={error} />
  if (checked.problem !== null) {
    return (
      <Notice kind="alarm" title="Your browser does not agree with the server">
        <p>{checked.problem}</p>
        <p>
          <Link to="/operate/audit/log">Verify the log</Link>, and compare it with an anchor that is kept
          elsewhere.
        </p>
      </Notice>
    )
  }
  if (result === null) return null
  if (!result.ok) {
    const { position, reason, rule } = result
    return (
      <Notice kind="alarm" title={`The proof breaks${position === null ? "" : ` at position ${position}`}`}>
        {rule !== null && <p>{Rules.textOf(rule)}</p>}
        <p>{reason}</p>
        {position !== null && (
          <Link to="/operate/audit/journal" search={{ until: position }}>
            Show the event
          </Link>
        )}
      </Notice>
    )
  }
  return (
    <Notice kind="good" title="The balance follows from the log">
      <Stack gap={1}>
        <Facts
          facts={[
            { name: "Balance", value: <Money amount={result.balance} /> },
            { name: "Of it available", value: <Money amount={result.available} /> },
            { name: "Of it held for open requests", value: <Money amount={result.held} /> },
            { name: "Events", value: count.format(result.events) }
          ]}
        />
        <ul>
          <li>
            {isHashed
              ? `Your browser has hashed ${count.format(checked.hashed)} events again, from the first one of each stream.`
              : "Your browser could not check hashes: it does so only over HTTPS, or on the server's own machine."}
          </li>
          <li>Your browser has added up the amounts in the data that was hashed.</li>
          <li>
            The server has done the same, and compared each entry and the end with the balance that the
            account has.
          </li>
          <li>
            That no event of the account is left out is proved by the{" "}
            <Link to="/operate/audit/books">audit</Link>, and that the log was not rewritten as a whole by a{" "}
            <Link to="/operate/audit/log">verification</Link> with an anchor that is kept elsewhere.
          </li>
        </ul>
      </Stack>
    </Notice>
  )
}
