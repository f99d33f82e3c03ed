/** Chooses one of the account's files. */
import { useInfiniteQuery } from "@tanstack/react-query"
import { call } from "#console/api/Client.ts"
import { keyOf } from "#console/api/Queries.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { Tile } from "#console/design/actions/Tile.tsx"
import { bytesText } from "#console/design/data/Bytes.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Dialog } from "#console/design/overlays/Dialog.tsx"
import * as MediaKind from "#console/views/result/MediaKind.ts"
import { useMediaOrigins } from "#console/views/result/MediaOrigins.ts"
import classes from "./AccountFiles.module.css"

const pageSize = "30"

/** Larger pictures are not loaded for a preview of some pixels. */
const largestPreview = 2_000_000

export const AccountFiles = ({
  contentType,
  onChoose,
  onClose
}: {
  /** As `image/*`; `null`: of all types. */
  readonly contentType: string | null
  readonly onChoose: (url: string) => void
  readonly onClose: () => void
}) => {
  const origins = useMediaOrigins()
  const files = useInfiniteQuery({
    queryKey: [...keyOf("listFiles"), "choose", contentType],
    queryFn: ({ pageParam, signal }) =>
      call("listFiles", {
        query: {
          limit: pageSize,
          ...(contentType !== null && { contentType }),
          ...(pageParam !== null && { cursor: pageParam })
        },
        signal
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next
  })
  const rows = (files.data?.pages ?? [])
    .flatMap(({ data }) => data)
    .filter(({ status }) => status !== "pending")
  return (
    <Dialog title="Your files" isOpen onClose={onClose} form="wide">
      {files.isPending && <Skeleton lines={5} />}
      {files.isError && <ErrorState error={files.error} onRetry={() => void files.refetch()} />}
      {files.isSuccess && rows.length === 0 && (
        <EmptyState title="No files yet">
          Files that you upload, and those that models make, are listed here.
        </EmptyState>
      )}
      <ul className={classes["files"]}>
        {rows.map(({ contentType, createdAt, fileName, id, size, url }) => (
          <li key={id}>
            <Tile onPress={() => onChoose(url)}>
              {MediaKind.ofType(contentType) === "image" &&
              (size ?? 0) <= largestPreview &&
              MediaKind.isAllowed(url, origins) ? (
                <img src={url} alt="" loading="lazy" />
              ) : (
                <span className={classes["type"]} aria-hidden>
                  {contentType.split("/").at(-1)}
                </span>
              )}
              <span className={classes["name"]}>{fileName}</span>
              <span className={classes["about"]}>
                {size !== null && bytesText(size)} <Time at={createdAt} />
              </span>
            </Tile>
          </li>
        ))}
      </ul>
      {files.hasNextPage && (
        <Button isDisabled={files.isFetchingNextPage} onPress={() => void files.fetchNextPage()}>
          Show more
        </Button>
      )}
    </Dialog>
  )
}
