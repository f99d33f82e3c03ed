/** What the files take, of the quota if there is one. */
import { useQuery } from "@tanstack/react-query"
import { apiQuery } from "#console/api/Queries.ts"
import { bytesText } from "#console/design/data/Bytes.tsx"
import { ProgressBar } from "#console/design/feedback/ProgressBar.tsx"

export const StorageUsed = () => {
  const { data } = useQuery(apiQuery("getStorage", {}))
  if (data === undefined) return null
  const { maxBytes, usedBytes } = data
  if (maxBytes === null) return <span>{bytesText(usedBytes)} stored</span>
  return (
    <ProgressBar
      label={`${bytesText(usedBytes)} of ${bytesText(maxBytes)} stored`}
      fraction={maxBytes === 0 ? 1 : Math.min(1, usedBytes / maxBytes)}
    />
  )
}
