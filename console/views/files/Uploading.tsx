/** A place to drop files, and how far each upload is. */
import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { keyOf } from "#console/api/Queries.ts"
import { upload } from "#console/api/Uploads.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { ProgressBar } from "#console/design/feedback/ProgressBar.tsx"
import { FileDrop } from "#console/design/fields/FileDrop.tsx"
import { Row, Stack } from "#console/design/layout/Stack.tsx"

interface Underway {
  readonly id: number
  readonly name: string
  readonly fraction: number
  readonly error: unknown
  readonly cancel: () => void
}

export const Uploading = () => {
  const client = useQueryClient()
  const [all, setAll] = useState<ReadonlyArray<Underway>>([])
  const next = useRef(0)
  const running = useRef(new Set<AbortController>())
  useEffect(() => {
    const started = running.current
    return () => {
      for (const controller of started) controller.abort()
    }
  }, [])
  const change = (id: number, changes: Partial<Underway>) =>
    setAll((before) => before.map((one) => (one.id === id ? { ...one, ...changes } : one)))
  const drop = (id: number) => setAll((before) => before.filter((one) => one.id !== id))

  const begin = async (file: File) => {
    const id = next.current++
    const controller = new AbortController()
    const cancel = () => {
      controller.abort()
      drop(id)
    }
    running.current.add(controller)
    setAll((before) => [...before, { id, name: file.name, fraction: 0, error: null, cancel }])
    try {
      await upload(file, {
        signal: controller.signal,
        onProgress: (fraction) => change(id, { fraction })
      })
      drop(id)
      for (const name of ["listFiles", "getStorage"] as const)
        void client.invalidateQueries({ queryKey: keyOf(name) })
    } catch (error) {
      if (!controller.signal.aborted) change(id, { error })
    } finally {
      running.current.delete(controller)
    }
  }

  return (
    <Stack>
      <FileDrop
        label="Drop files to upload"
        isMultiple
        onFiles={(files) => {
          for (const file of files) void begin(file)
        }}
      />
      {all.map(({ cancel, error, fraction, id, name }) =>
        error === null ? (
          <Stack key={id} gap={1}>
            <ProgressBar label={`Uploading ${name}`} fraction={fraction} />
            <Row>
              <Button size="small" onPress={cancel} aria-label={`Cancel the upload of ${name}`}>
                Cancel
              </Button>
            </Row>
          </Stack>
        ) : (
          <Notice
            key={id}
            kind="alarm"
            title={`${name} was not uploaded`}
            error={error}
            action={<Button onPress={cancel}>Dismiss</Button>}
          />
        )
      )}
    </Stack>
  )
}
