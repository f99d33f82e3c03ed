/** The log: its end, its proofs, and its export. */
import { useQuery } from "@tanstack/react-query"
import { consolePath } from "#console/api/Client.ts"
import { saveFile } from "#console/api/SaveFile.ts"
import { adminQuery } from "#console/api/Queries.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { CopyButton } from "#console/design/actions/CopyButton.tsx"
import { DownloadLink } from "#console/design/actions/DownloadLink.tsx"
import { Bytes } from "#console/design/data/Bytes.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Facts } from "#console/design/layout/Facts.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Row, Stack } from "#console/design/layout/Stack.tsx"
import { AuditPage } from "../AuditPage.tsx"
import { ProofList } from "../proofs/ProofList.tsx"
import { VerifySection } from "./VerifySection.tsx"

export const LogView = () => (
  <AuditPage
    title="Log"
    lead="Every fact about requests and money is an event on this log. Prove that nothing on it was changed."
  >
    {() => (
      <>
        <Head />
        <VerifySection />
        <ProofList kind="verify" />
        <Export />
      </>
    )}
  </AuditPage>
)

const count = new Intl.NumberFormat()

const useLogSize = () => useQuery(adminQuery("measureLog", {}))

const Head = () => {
  const { data, error, isPending, refetch } = useLogSize()
  return (
    <Section
      title="End of the log"
      lead="Keep the anchor on another machine. A proof with it shows that nothing before it was changed since."
      actions={
        <Button size="small" onPress={() => void refetch()}>
          Refresh
        </Button>
      }
    >
      {isPending && <Skeleton />}
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data !== undefined && (
        <Stack>
          <Facts
            facts={[
              data.events === null
                ? { name: "Commits", value: count.format(data.commits ?? 0) }
                : { name: "Events", value: count.format(data.events) },
              { name: "Position", value: data.position ?? "–" },
              { name: "First event", value: timeOf(data.firstEventAt) },
              { name: "Last event", value: timeOf(data.lastEventAt) },
              ...(data.bytes === null
                ? []
                : [{ name: "Size", value: <Bytes bytes={data.bytes.log + data.bytes.wal} /> }])
            ]}
          />
          {data.position === null || data.digest === null ? (
            <EmptyState title="The log is empty" />
          ) : (
            <Anchor position={data.position} digest={data.digest} />
          )}
        </Stack>
      )}
    </Section>
  )
}

const timeOf = (at: string | null) => (at === null ? "–" : <Time at={at} form="exact" />)

const Anchor = ({ digest, position }: { readonly position: string; readonly digest: string }) => {
  const anchor = `${position}:${digest}`
  return (
    <Stack gap="half">
      <div>Anchor</div>
      <Row>
        <code>{anchor}</code>
        <CopyButton text={anchor} what="anchor" />
        <Button kind="quiet" size="small" onPress={() => saveAnchor(anchor, position)}>
          Save as a file
        </Button>
      </Row>
    </Stack>
  )
}

/** As a file, with the server and the time. */
const saveAnchor = (anchor: string, position: string) =>
  saveFile(
    `anchor-${position}.json`,
    "application/json",
    JSON.stringify({ anchor, server: location.origin, savedAt: new Date().toISOString() })
  )

const Export = () => {
  const { data } = useLogSize()
  const head = data?.head ?? "0"
  const admin = `${consolePath}/api/admin/v1`
  return (
    <Section
      title="Export"
      lead="Files for checks elsewhere. They are as long as the log, and are saved as they come."
    >
      <Row>
        <DownloadLink href={`${admin}/log/events?until=${head}`} file={`log-${head}.ndjson`}>
          Events (NDJSON)
        </DownloadLink>
        <DownloadLink href={`${admin}/audit/journal?format=csv`} file="journal.csv">
          Journal of the books (CSV)
        </DownloadLink>
        <DownloadLink href={`${admin}/audit/journal?format=json`} file="journal.ndjson">
          Journal of the books (NDJSON)
        </DownloadLink>
      </Row>
      <p>
        Events are without inputs and outputs. <code>node examples/verify-export.mjs &lt; log.ndjson</code>{" "}
        proves their chain without inferlog.
      </p>
    </Section>
  )
}
