'use strict';
(function () {
  var list = document.getElementById('list'), form = document.getElementById('filter');
  if (list && form) {
    var items = Array.prototype.slice.call(list.querySelectorAll('details.finding'));
    var texts = items.map(function (i) { return i.querySelector('summary').textContent.toLowerCase(); });
    var shown = document.getElementById('shown');
    var apply = function () {
      var words = form.q.value.toLowerCase().split(/\s+/).filter(Boolean), n = 0;
      items.forEach(function (item, at) {
        var fits = words.every(function (w) { return texts[at].indexOf(w) >= 0; })
          && (!form.state.value || item.dataset.state === form.state.value)
          && (!form.severity.value || item.dataset.severity === form.severity.value);
        item.hidden = !fits;
        if (fits) n += 1;
      });
      shown.textContent = n + ' of ' + items.length + ' shown';
    };
    var sort = function () {
      var by = form.sort.value, order = items.slice();
      if (by !== 'given') {
        order.sort(function (a, b) {
          return by === 'count' ? b.dataset.count - a.dataset.count
            : a.dataset[by] < b.dataset[by] ? -1 : a.dataset[by] > b.dataset[by] ? 1 : 0;
        });
      }
      order.forEach(function (item) { list.appendChild(item); });
    };
    form.hidden = false;
    form.addEventListener('input', apply);
    form.sort.addEventListener('change', sort);
    form.addEventListener('submit', function (event) { event.preventDefault(); });
    var asked = /^#q=(.*)$/.exec(location.hash);
    if (asked) {
      try { form.q.value = decodeURIComponent(asked[1]); } catch (e) { form.q.value = asked[1]; }
    }
    if (form.q.value) { apply(); } else { shown.textContent = items.length + ' of ' + items.length + ' shown'; }
    var opened = document.getElementById(location.hash.slice(1));
    if (opened && opened.tagName === 'DETAILS') { opened.open = true; opened.scrollIntoView(); }
    addEventListener('beforeprint', function () { items.forEach(function (i) { i.open = true; }); });
  }
  Array.prototype.forEach.call(document.querySelectorAll('table.sort'), function (table) {
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (head, at) {
      var button = document.createElement('button');
      button.textContent = head.textContent;
      head.textContent = '';
      head.appendChild(button);
      button.addEventListener('click', function () {
        var down = head.getAttribute('aria-sort') !== 'descending', body = table.tBodies[0];
        var rows = Array.prototype.slice.call(body.rows);
        var value = function (row) { var c = row.cells[at]; return c.dataset.n === undefined ? c.textContent : +c.dataset.n; };
        rows.sort(function (a, b) { var x = value(a), y = value(b); return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1); });
        rows.forEach(function (row) { body.appendChild(row); });
        Array.prototype.forEach.call(table.tHead.rows[0].cells, function (c) { c.removeAttribute('aria-sort'); });
        head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      });
    });
  });
})();
