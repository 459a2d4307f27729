const { run } = require('./mended');

async function begin(fault, send) {
  let missing;
  switch (fault) {
    case '1':
      throw new RangeError('no rate for the currency');
    case '2':
      return missing.toUpperCase();
    case '3':
      for (;;) { /* blocks the thread */ }
    case '4':
      return send();
  }
}

exports.SampleEngineWorkerLoanWorkflow = () => run(begin);
