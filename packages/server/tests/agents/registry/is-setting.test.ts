import { expect, test } from "vitest";
import { isSetting } from "../../../src/agents/registry/is-setting.ts";

test.for([
  ["BASE_URL", "https://models.example.com/v1"],
  ["NODE_ENV", "production"],
  ["LANG", "en_US.UTF-8"],
  ["REGION", "us-east-1"],
  ["MODEL_FOLDER", "/usr/share/models"],
  ["PORT", "8080"],
])("%s=%s is a setting", ([name, value]) => {
  expect(isSetting(name!, value!)).toBe(true);
});

test.for([
  ["AGENT_KEY", "production"],
  ["API_TOKEN", "https://models.example.com/v1"],
  ["OPENAI", "sk-proj-0123456789abcdef"],
  ["BASE_URL", "https://me:pass@models.example.com/v1"],
  ["BASE_URL", "https://models.example.com/v1?key=0123456789"],
  ["WHATEVER", "qwertyuiopasdfghjklzxcvbnm"],
  ["WHATEVER", "5up3r-53cr37"],
])("%s=%s is a secret", ([name, value]) => {
  expect(isSetting(name!, value!)).toBe(false);
});
