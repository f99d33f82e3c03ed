/** The audit of the books, and the statement of accounts that it makes. */
import { useQueryClient } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useRef, useState } from "react"
import { consolePath, queryText } from "#console/api/Client.ts"
import { adminKeyOf } from "#console/api/Queries.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { DownloadLink } from "#console/design/actions/DownloadLink.tsx"
import { Switch } from "#console/design/fields/Switch.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Row, Stack } from "#console/design/layout/Stack.tsx"
import { AuditPage } from "../AuditPage.tsx"
import { ProofList } from "../proofs/ProofList.tsx"
import { ProofProgress } from "../proofs/ProofProgress.tsx"
import { useProof } from "../proofs/UseProof.ts"
import { Findings } from "./Findings.tsx"
import { PeriodFields } from "./PeriodFields.tsx"
import { type AccountRow, isAccountRow, Statement } from "./Statement.tsx"

export const BooksView = () => (
  <AuditPage
    title="Books"
    lead="Reads the log, keeps books of its own, checks every rule about money, and compares the result with the balances that are in use."
  >
    {() => (
      <>
        <Audit />
        <ProofList kind="audit" />
      </>
    )}
  </AuditPage>
)

const route = getRouteApi("/shell/operate/audit/books")

const Audit = () => {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const client = useQueryClient()
  const [isIncremental, setIncremental] = useState(false)
  const [rows, setRows] = useState<ReadonlyArray<AccountRow>>([])
  /** The lines as they come; drawn when the audit has ended. */
  const coming = useRef<Array<unknown>>([])
  const { cancel, proof, start } = useProof((line) => coming.current.push(line))
  const run = async () => {
    coming.current = []
    setRows([])
    const hasEnded = await start(`/api/admin/v1/audit${queryText({ ...search, incremental: isIncremental })}`)
    if (!hasEnded) return
    setRows(coming.current.filter(isAccountRow))
    await client.invalidateQueries({ queryKey: adminKeyOf("listProofs") })
  }
  const last = coming.current.at(-1)
  return (
    <>
      <Section title="Audit" lead="All accounts are proved, whichever are shown.">
        <Stack>
          <PeriodFields search={search} onChange={(next) => void navigate({ search: next, replace: true })} />
          <Switch isSelected={isIncremental} onChange={setIncremental}>
            Only what is new since the last audit
          </Switch>
          {proof.state === "running" ? (
            <ProofProgress progress={proof.progress} onCancel={cancel} />
          ) : (
            <Row>
              <Button kind="primary" onPress={() => void run()}>
                Audit the books
              </Button>
              <DownloadLink
                href={`${consolePath}/api/admin/v1/audit/journal${queryText({ format: "csv", ...search })}`}
                file="journal.csv"
              >
                Download the journal (CSV)
              </DownloadLink>
            </Row>
          )}
          <Findings proof={proof} last={last} />
        </Stack>
      </Section>
      {proof.state === "ended" && proof.isOk && <Statement rows={rows} />}
    </>
  )
}
