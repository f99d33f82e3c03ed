/** One file: what it is, its preview, its URL, and its end. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { apiQuery } from "#console/api/Queries.ts"
import type { AnswerOf } from "#console/api/Types.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { CopyButton } from "#console/design/actions/CopyButton.tsx"
import { Bytes } from "#console/design/data/Bytes.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Facts } from "#console/design/layout/Facts.tsx"
import { Stack } from "#console/design/layout/Stack.tsx"
import { Dialog } from "#console/design/overlays/Dialog.tsx"
import { ResultView } from "#console/views/result/ResultView.tsx"

type File = AnswerOf<"getFileRecord">

const factsOf = ({ contentType, createdAt, expiresAt, requestId, size, status }: File) => [
  { name: "Type", value: contentType },
  { name: "Size", value: size === null ? "Not known yet" : <Bytes bytes={size} /> },
  { name: "Status", value: status === "uploaded" ? "Uploaded" : "The bytes have not arrived yet" },
  { name: "Created", value: <Time at={createdAt} /> },
  { name: "Expires", value: <Time at={expiresAt} /> },
  {
    name: "Made by",
    value:
      requestId === null ? "Upload" : <Link to={`/requests/${requestId}` as "/requests"}>{requestId}</Link>
  }
]

export const FileDialog = ({
  id,
  onClose,
  onDelete
}: {
  readonly id: string
  readonly onClose: () => void
  readonly onDelete: (file: File) => void
}) => {
  const file = useQuery(apiQuery("getFileRecord", { params: { fileId: id } }))
  const found = file.data
  return (
    <Dialog
      title={found?.fileName ?? "File"}
      form="wide"
      isOpen
      onClose={onClose}
      actions={
        <>
          {found !== undefined && <CopyButton text={found.url} what="URL of the file" label="Copy URL" />}
          {found !== undefined && (
            <Button kind="danger" onPress={() => onDelete(found)}>
              Delete
            </Button>
          )}
          <Button onPress={onClose}>Close</Button>
        </>
      }
    >
      {file.isError ? (
        <ErrorState error={file.error} onRetry={() => void file.refetch()} />
      ) : found === undefined ? (
        <Skeleton label="Loading the file" />
      ) : (
        <Stack>
          {found.status === "uploaded" && (
            <ResultView
              output={found.url}
              media={[
                {
                  path: "",
                  url: found.url,
                  thumbnailUrl: null,
                  contentType: found.contentType,
                  size: found.size ?? 0
                }
              ]}
            />
          )}
          <Facts facts={factsOf(found)} />
        </Stack>
      )}
    </Dialog>
  )
}
