// Reads lines [pattern, [text, ...]] and writes for each the results with the flag u and without flags, or null for
// an invalid pattern.
const lines = require('readline').createInterface({input: process.stdin});
const match = (pattern, flags, texts) => {
  try {
    const expression = new RegExp(pattern, flags);
    return texts.map(text => expression.test(text));
  } catch {
    return null;
  }
};
lines.on('line', line => {
  const [pattern, texts] = JSON.parse(line);
  console.log(JSON.stringify([match(pattern, 'u', texts), match(pattern, '', texts)]));
});
