/** The account's files: its uploads, and the outputs of its requests. */
import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query"
import { getRouteApi, Link, useRouteContext } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "#console/api/Client.ts"
import { keyOf } from "#console/api/Queries.ts"
import { missingScope } from "#console/api/Session.ts"
import type { AnswerOf } from "#console/api/Types.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { CopyButton } from "#console/design/actions/CopyButton.tsx"
import { Bytes } from "#console/design/data/Bytes.tsx"
import { type Column, Table } from "#console/design/data/Table.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Select } from "#console/design/fields/Select.tsx"
import { Page } from "#console/design/layout/Page.tsx"
import { Row } from "#console/design/layout/Stack.tsx"
import { ConfirmDialog } from "#console/design/overlays/ConfirmDialog.tsx"
import { FileDialog } from "./FileDialog.tsx"
import { type FilesSearch, sources, types } from "./FilesSearch.ts"
import { StorageUsed } from "./StorageUsed.tsx"
import { Uploading } from "./Uploading.tsx"

const route = getRouteApi("/shell/account/files")

type File = AnswerOf<"listFiles">["data"][number]

const typeNames: Readonly<Record<(typeof types)[number], string>> = {
  "image/*": "Pictures",
  "video/*": "Video",
  "audio/*": "Audio",
  "text/*": "Text",
  "application/*": "Other"
}

const columnsOf = (onOpen: (file: File) => void, onDelete: (file: File) => void, refusal: string | null) => {
  const columns: ReadonlyArray<Column<File>> = [
    {
      id: "name",
      header: "File",
      cell: (file) => (
        <Button kind="quiet" size="small" onPress={() => onOpen(file)} aria-label={`Show ${file.fileName}`}>
          {file.fileName}
        </Button>
      )
    },
    { id: "type", header: "Type", cell: ({ contentType }) => contentType },
    {
      id: "size",
      header: "Size",
      align: "end",
      cell: ({ size, status }) =>
        status === "uploaded" && size !== null ? <Bytes bytes={size} /> : "Not arrived yet"
    },
    {
      id: "request",
      header: "Made by",
      cell: ({ requestId }) =>
        requestId === null ? "Upload" : <Link to={`/requests/${requestId}` as "/requests"}>{requestId}</Link>
    },
    { id: "created", header: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
    { id: "expires", header: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} form="relative" /> },
    {
      id: "actions",
      header: "Actions",
      align: "end",
      cell: (file) => (
        <Row gap="half">
          <CopyButton text={file.url} what={`URL of ${file.fileName}`} label="Copy URL" />
          <Button
            kind="quiet"
            size="small"
            refusal={refusal}
            aria-label={`Delete ${file.fileName}`}
            onPress={() => onDelete(file)}
          >
            Delete
          </Button>
        </Row>
      )
    }
  ]
  return columns
}

const useFiles = ({ contentType, source }: FilesSearch) => {
  const filter = {
    ...(source !== undefined && { source }),
    ...(contentType !== undefined && { contentType })
  }
  return useInfiniteQuery({
    queryKey: [...keyOf("listFiles"), "all", filter],
    queryFn: ({ pageParam, signal }) =>
      call("listFiles", {
        query: { ...filter, limit: "50", ...(pageParam !== null && { cursor: pageParam }) },
        signal
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData
  })
}

export const FilesView = () => {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const client = useQueryClient()
  const { account } = useRouteContext({ from: "/shell/account" })
  const refusal = missingScope(account, "files:write")
  const [deleted, setDeleted] = useState<Pick<File, "id" | "fileName"> | null>(null)
  const files = useFiles(search)
  const rows = files.data?.pages.flatMap(({ data }) => data) ?? []
  const change = (name: keyof FilesSearch, value: string | null) => {
    const { [name]: _, ...rest } = search
    void navigate({
      search: value === null ? rest : { ...rest, [name]: value },
      replace: true,
      resetScroll: false
    })
  }
  const remove = async () => {
    if (deleted === null) return
    await call("deleteFile", { params: { fileId: deleted.id } })
    for (const name of ["listFiles", "getStorage"] as const)
      await client.invalidateQueries({ queryKey: keyOf(name) })
  }
  return (
    <Page
      title="Files"
      lead="Anyone who knows the URL of a file can fetch it, until it expires or is deleted."
      actions={<StorageUsed />}
    >
      {refusal === null && <Uploading />}
      <Row align="end" gap={2}>
        <Select
          label="Made by"
          value={search.source ?? "all"}
          choices={[
            { value: "all", label: "All" },
            ...sources.map((value) => ({ value, label: value === "upload" ? "Uploads" : "Requests" }))
          ]}
          onChange={(value) => change("source", value === "all" ? null : value)}
        />
        <Select
          label="Type"
          value={search.contentType ?? "all"}
          choices={[
            { value: "all", label: "All" },
            ...types.map((value) => ({ value, label: typeNames[value] }))
          ]}
          onChange={(value) => change("contentType", value === "all" ? null : value)}
        />
      </Row>
      {files.isError ? (
        <ErrorState error={files.error} onRetry={() => void files.refetch()} />
      ) : files.data === undefined ? (
        <Skeleton lines={8} label="Loading the files" />
      ) : rows.length === 0 ? (
        <EmptyState title="No files">Drop one above, or run a model that makes pictures.</EmptyState>
      ) : (
        <Table
          caption="Files"
          columns={columnsOf(({ id }) => change("file", id), setDeleted, refusal)}
          rows={rows}
          rowKey={({ id }) => id}
        />
      )}
      {files.hasNextPage && (
        <Row>
          <Button isDisabled={files.isFetchingNextPage} onPress={() => void files.fetchNextPage()}>
            Show more
          </Button>
        </Row>
      )}
      {search.file !== undefined && (
        <FileDialog
          id={search.file}
          onClose={() => change("file", null)}
          onDelete={(file) => {
            change("file", null)
            setDeleted(file)
          }}
        />
      )}
      <ConfirmDialog
        title={`Delete ${deleted?.fileName ?? "file"}?`}
        action="Delete file"
        isDangerous
        isOpen={deleted !== null}
        onClose={() => setDeleted(null)}
        onConfirm={remove}
      >
        <p>Its URL answers 410 from then on. This cannot be taken back.</p>
      </ConfirmDialog>
    </Page>
  )
}
