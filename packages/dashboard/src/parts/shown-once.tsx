/** A secret that the service shows once: nothing of the page keeps it. */
export function ShownOnce({ value, what }: { readonly value: string; readonly what: string }) {
  return (
    <div class="panel panel-wait" role="status">
      <p>{what} It is shown only now.</p>
      <p class="once">
        <code>{value}</code>
      </p>
      <div class="buttons">
        <button type="button" onClick={() => void navigator.clipboard?.writeText(value)}>
          Copy
        </button>
      </div>
    </div>
  );
}
