/** Sends all failed deliveries of a time again, after it has shown how many they are. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useMemo, useState } from "react"
import { call } from "#console/api/Client.ts"
import { keyOf } from "#console/api/Queries.ts"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Select } from "#console/design/fields/Select.tsx"
import { ConfirmDialog } from "#console/design/overlays/ConfirmDialog.tsx"

const hour = 3_600_000

const times = {
  "1": "Last hour",
  "24": "Last 24 hours",
  "168": "Last 7 days",
  "720": "Last 30 days"
} as const
type Hours = keyof typeof times

const choices: ReadonlyArray<{ readonly value: Hours; readonly label: string }> = [
  { value: "1", label: times["1"] },
  { value: "24", label: times["24"] },
  { value: "168", label: times["168"] },
  { value: "720", label: times["720"] }
]

export const RecoverDialog = ({
  isOpen,
  onClose
}: {
  readonly isOpen: boolean
  readonly onClose: () => void
}) => {
  const client = useQueryClient()
  const [hours, setHours] = useState<Hours>("24")
  // The same time for the preview and for the recovery. The clocks of browser and server may differ by some minutes.
  const time = useMemo(
    () => ({
      since: new Date(Date.now() - Number(hours) * hour).toISOString(),
      until: new Date(Date.now() + hour / 4).toISOString()
    }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- Each opening looks anew.
    [hours, isOpen]
  )
  const preview = useQuery({
    queryKey: [...keyOf("recoverDeliveries"), time],
    queryFn: ({ signal }) => call("recoverDeliveries", { payload: { ...time, preview: true }, signal }),
    enabled: isOpen
  })
  const count = preview.data?.count
  const recover = async () => {
    await call("recoverDeliveries", { payload: time })
    await client.invalidateQueries({ queryKey: keyOf("listDeliveries") })
  }
  return (
    <ConfirmDialog
      title="Send failed deliveries again"
      action="Send again"
      isDisabled={count === undefined || count === 0}
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={recover}
    >
      <Select label="Created in" value={hours} choices={choices} onChange={setHours} />
      {preview.isError ? (
        <Notice kind="alarm" error={preview.error} />
      ) : (
        <p role="status">
          {count === undefined
            ? "Counting…"
            : count === 0
              ? "No delivery has failed in this time."
              : `${count.toLocaleString()} failed ${count === 1 ? "delivery is" : "deliveries are"} sent again, with ten attempts each.`}
        </p>
      )}
    </ConfirmDialog>
  )
}
