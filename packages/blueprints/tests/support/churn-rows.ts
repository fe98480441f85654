/**
 * Customers as CSV: a name that says nothing, categories, numbers with gaps, and few who leave. The same on every call;
 * whoever leaves does so by a rule with some chance in it.
 */
export const churnCsv = `${["customer,plan,months,calls,autopay,region,churned", ...rows()].join("\n")}\n`;

function rows(): readonly string[] {
  let state = 7;
  const chance = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  return Array.from({ length: 160 }, (_, number) => {
    const plan = chance() < 0.55 ? "monthly" : chance() < 0.6 ? "yearly" : "family";
    const months = Math.floor(chance() * 48) + 1;
    const calls = Math.floor(chance() * 7);
    const autopay = chance() < 0.5 ? "yes" : "no";
    const pull = (plan === "monthly" ? 1.9 : 0) - months * 0.06 + calls * 0.62 - (autopay === "yes" ? 0.9 : 0);
    const churned = pull - 2.6 + (chance() - 0.5) * 1.2 > 0 ? "yes" : "no";
    const region = ["north", "south", "west"];
    const given = [
      `C-${1000 + number}`,
      plan,
      chance() < 0.08 ? "" : months,
      chance() < 0.06 ? "NA" : calls,
      autopay,
      chance() < 0.07 ? "" : region[Math.floor(chance() * 3)],
      churned,
    ];
    return given.join(",");
  });
}
