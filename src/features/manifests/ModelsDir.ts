import { Config } from "effect"
import * as Setting from "#src/kernel/settings/Setting.ts"

export const modelsDir = Setting.optional({
  name: "MODELS_DIR",
  config: Config.String,
  defaultText: "none",
  description:
    "folder of manifests (`**/*.yaml`, `.yml`, `.json`) that are published at start and whenever they change; what is wrong with one is logged and leaves the others published ([manifests.md](manifests.md))",
  accepts: "a path",
  example: "/etc/inferlog/models"
})
