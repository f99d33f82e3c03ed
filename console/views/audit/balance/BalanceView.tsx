/** The proof of an account's balance, event by event. */
import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { adminQuery } from "#console/api/Queries.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { ProgressBar } from "#console/design/feedback/ProgressBar.tsx"
import { Select } from "#console/design/fields/Select.tsx"
import { TextField } from "#console/design/fields/TextField.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Grid, Row, Stack } from "#console/design/layout/Stack.tsx"
import { AuditPage } from "../AuditPage.tsx"
import { BalanceVerdict } from "./BalanceVerdict.tsx"
import { ProofSteps } from "./ProofSteps.tsx"
import { useBalanceProof } from "./UseBalanceProof.ts"

export const BalanceView = () => (
  <AuditPage
    title="Proof of a balance"
    lead="Every event that moved money of an account, with the balance after it, from the first one to the balance of today or of a time that you choose."
  >
    {() => <Proof />}
  </AuditPage>
)

const route = getRouteApi("/shell/operate/audit/balance")

/** `2026-07-01T12:00` in the reader's zone. */
const localOf = (iso: string): string => {
  const at = new Date(iso)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

const count = new Intl.NumberFormat()

const Proof = () => {
  const { account = "", until } = route.useSearch()
  const navigate = route.useNavigate()
  const [text, setText] = useState(account)
  useEffect(() => setText(account), [account])
  const { cancel, proof, start } = useBalanceProof()
  const change = (account: string, until: string | undefined) =>
    void navigate({
      search: { ...(account === "" ? {} : { account }), ...(until === undefined ? {} : { until }) },
      replace: true
    })
  const isAccount = /^acc_\w+$/.test(text)
  const run = () => {
    change(text, until)
    void start(text, until)
  }
  const { checked, entries, events, expected } = proof
  return (
    <>
      <Section title="Account and time">
        <Stack>
          <Grid>
            <Accounts
              chosen={text}
              onChoose={(account) => {
                setText(account)
                change(account, until)
              }}
            />
            <TextField
              label="Account id"
              isMono
              placeholder="acc_…"
              value={text}
              onChange={(next) => setText(next.trim())}
            />
            <TextField
              label="Up to this time"
              isOptional
              type="datetime-local"
              hint="In your time zone. Without it, up to now."
              value={until === undefined ? "" : localOf(until)}
              onChange={(next) => change(text, next === "" ? undefined : new Date(next).toISOString())}
            />
          </Grid>
          {proof.state === "running" ? (
            <>
              <ProgressBar
                label={`${count.format(events)} events, ${count.format(checked.hashed)} hashes checked`}
                fraction={expected === 0 ? null : Math.min(1, entries / expected)}
              />
              <Row>
                <Button size="small" onPress={cancel}>
                  Stop
                </Button>
              </Row>
            </>
          ) : (
            <Row>
              <Button kind="primary" isDisabled={!isAccount} onPress={run}>
                Prove the balance
              </Button>
            </Row>
          )}
          <BalanceVerdict proof={proof} />
        </Stack>
      </Section>
      {proof.shown.length > 0 && <ProofSteps proof={proof} />}
    </>
  )
}

const Accounts = ({
  chosen,
  onChoose
}: {
  readonly chosen: string
  readonly onChoose: (accountId: string) => void
}) => {
  const { data } = useQuery(adminQuery("listAccounts", { limit: 200 }))
  const accounts = data?.data ?? []
  return (
    <Select
      label="Account"
      placeholder={data === undefined ? "Loading" : "Choose, or enter an id"}
      isDisabled={data === undefined}
      hint={
        (data?.next ?? null) === null ? undefined : "These are the first 200. Enter the id of another one."
      }
      value={accounts.some(({ accountId }) => accountId === chosen) ? chosen : null}
      choices={accounts.map(({ accountId, name }) => ({ value: accountId, label: `${name} (${accountId})` }))}
      onChange={onChoose}
    />
  )
}
