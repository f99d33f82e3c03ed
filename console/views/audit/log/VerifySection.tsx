/** Proves the log, and compares it with an earlier anchor. */
import { useQueryClient } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useState } from "react"
import { queryText } from "#console/api/Client.ts"
import { adminKeyOf } from "#console/api/Queries.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { CopyButton } from "#console/design/actions/CopyButton.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Switch } from "#console/design/fields/Switch.tsx"
import { TextField } from "#console/design/fields/TextField.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Row, Stack } from "#console/design/layout/Stack.tsx"
import { ProofProgress } from "../proofs/ProofProgress.tsx"
import { Since, type SinceFacts } from "../proofs/Since.tsx"
import { type Proof, useProof } from "../proofs/UseProof.ts"
import * as LogSearch from "./LogSearch.ts"

const route = getRouteApi("/shell/operate/audit/log")

export const VerifySection = () => {
  const { expect = "" } = route.useSearch()
  const navigate = route.useNavigate()
  const client = useQueryClient()
  const [isIncremental, setIncremental] = useState(false)
  const { cancel, isRunning, proof, start } = useProof()
  const isWrong = expect !== "" && !LogSearch.isAnchor(expect)
  const verify = async () => {
    const query = { expect: expect === "" ? undefined : expect, incremental: isIncremental }
    await start(`/api/admin/v1/log/verify${queryText(query)}`)
    await client.invalidateQueries({ queryKey: adminKeyOf("listProofs") })
  }
  return (
    <Section
      title="Verify"
      lead="Hashes every event and every payload again, follows the chain, and compares the end with the one that was kept."
    >
      <Stack>
        <TextField
          label="Compare with an earlier anchor"
          isOptional
          isMono
          value={expect}
          error={isWrong ? "An anchor is <position>:<digest>, as it was copied or saved here." : null}
          onChange={(text) =>
            void navigate({ search: text === "" ? {} : { expect: text.trim() }, replace: true })
          }
        />
        <Switch isSelected={isIncremental} onChange={setIncremental}>
          Only what is new since the last proof
        </Switch>
        {proof.state === "running" ? (
          <ProofProgress progress={proof.progress} onCancel={cancel} />
        ) : (
          <Row>
            <Button kind="primary" isDisabled={isWrong} onPress={() => void verify()}>
              Verify the log
            </Button>
          </Row>
        )}
        {!isRunning && <Verdict proof={proof} />}
      </Stack>
    </Section>
  )
}

interface Report {
  readonly ok: boolean
  readonly events?: number
  readonly payloads?: number
  readonly erasedPayloads?: number
  readonly position?: string | null
  readonly digest?: string
  readonly reason?: string
  readonly since?: SinceFacts | null
}

/** `null`: the program ended before it had one, which says nothing about the log. */
const reportOf = (report: unknown): Report | null =>
  typeof report === "object" && report !== null && "ok" in report ? (report as Report) : null

const count = new Intl.NumberFormat()

const Verdict = ({ proof }: { readonly proof: Proof }) => {
  if (proof.state === "failed") return <Notice kind="alarm" title="No proof was made" error={proof.error} />
  if (proof.state !== "ended") return null
  const report = reportOf(proof.report)
  if (report === null) {
    return (
      <Notice kind="alarm" title="No proof was made">
        <p>{proof.message}</p>
      </Notice>
    )
  }
  if (!proof.isOk) {
    const { position = null, reason } = report
    return (
      <Notice kind="alarm" title="The log is not what was written">
        <p>{reason}</p>
        {position !== null && (
          <p>
            First at position {position}.{" "}
            <Link to="/operate/audit/journal" search={{ until: position }}>
              Show the events up to there
            </Link>
          </p>
        )}
        <p>Stop the server, keep a copy of its data as it is, and examine the copy.</p>
      </Notice>
    )
  }
  const { digest = "", erasedPayloads = 0, events = 0, payloads = 0, position = null, since = null } = report
  const anchor = position === null ? null : `${position}:${digest}`
  return (
    <Notice kind="good" title="The log is intact">
      <p>
        {count.format(events)} events, {count.format(payloads)} payloads and {count.format(erasedPayloads)}{" "}
        erased ones are as they were written.
      </p>
      {since !== null && <Since since={since} />}
      {proof.message !== "" && <p>{proof.message}</p>}
      {anchor !== null && (
        <Row>
          <code>{anchor}</code>
          <CopyButton text={anchor} what="anchor" />
        </Row>
      )}
    </Notice>
  )
}
